-- KEYS: locks.  ARGV: for each of them owner token, and channel or '' where nobody is to be told.
-- Returns for each lock two numbers. 1 if it was held by this token and is free now, 0 if it is gone, -1 if something else is there.
-- And for one that was held, how many listen to its channel, or -1 if that is not known.
local function release(lock, token, channel)
  local holder = redis.pcall('GET', lock)
  if not holder then
    return 0, 0
  end
  if type(holder) == 'table' and string.sub(holder.err, 1, 9) ~= 'WRONGTYPE' then
    return 0, 0, holder
  end
  if holder ~= token then
    return -1, 0
  end
  redis.call('DEL', lock)
  -- Only a hint: the lock is free even if the user may not use the channel.
  local heard = channel ~= '' and redis.pcall('PUBLISH', channel, '')
  return 1, type(heard) == 'number' and heard or -1
end

local answers = {}
local refused
for i, lock in ipairs(KEYS) do
  local state, heard, failure = release(lock, ARGV[2 * i - 1], ARGV[2 * i])
  answers[#answers + 1] = state
  answers[#answers + 1] = heard
  refused = refused or failure
end
return refused or answers
