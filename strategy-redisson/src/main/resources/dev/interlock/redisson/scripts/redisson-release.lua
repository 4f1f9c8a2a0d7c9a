-- KEYS: locks.  ARGV: the command that publishes, lease of a plain lock in ms; for each lock owner, channel.
-- Returns for each lock two numbers. 1 if it was held by this owner, 0 if it is gone, -1 if something else is there.
-- And for one that was held, how many listen to its channel, or -1 if that is not known.
local function release(lock, owner, channel)
  local holds = redis.pcall('HGET', lock, owner)
  if type(holds) == 'table' then
    if string.sub(holds.err, 1, 9) == 'WRONGTYPE' then
      return -1, 0
    end
    return 0, 0, holds
  end
  if not holds then
    return -redis.call('EXISTS', lock), 0
  end
  redis.call('HDEL', lock, owner)
  -- Another field counts the holds of the same thread, and 2^32 more, see holds.lua. Those by a plain RLock go on.
  for _, field in ipairs(redis.call('HKEYS', lock)) do
    local plain = (tonumber(redis.call('HGET', lock, field)) or 0) - 4294967296 - holds
    if plain > 0 then
      redis.call('HSET', lock, field, string.format('%.0f', plain))
    else
      redis.call('HDEL', lock, field)
    end
  end
  if redis.call('EXISTS', lock) == 1 then
    -- That one takes its watchdog's time for granted, and ours may have been shorter.
    redis.call('PEXPIRE', lock, math.max(redis.call('PTTL', lock), ARGV[2]))
    return 1, -1
  end
  -- Only a hint: the lock is free even if the user may not use the channel, or the server does not know SPUBLISH.
  local heard = redis.pcall(ARGV[1], channel, 0)
  if type(heard) == 'table' and ARGV[1] ~= 'PUBLISH' then
    heard = redis.pcall('PUBLISH', channel, 0)
  end
  return 1, type(heard) == 'number' and heard or -1
end

local answers = {}
local refused
for i, lock in ipairs(KEYS) do
  local state, heard, failure = release(lock, ARGV[2 * i + 1], ARGV[2 * i + 2])
  answers[#answers + 1] = state
  answers[#answers + 1] = heard
  refused = refused or failure
end
return refused or answers
