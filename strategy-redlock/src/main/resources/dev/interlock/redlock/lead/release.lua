-- KEYS: for each lock the lock, its fence, those who wait, the record of the lead.
-- ARGV: life of the fence in ms, and for each lock the owner token.
-- Returns for each lock two numbers. 1 if it was held by this token and is not any more, 0 if it is gone, -1 if
-- something else is there. And 1 if it was granted to one who waits here, otherwise 0.
local function release(lock, fence, list, record, token)
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
  if redis.call('EXISTS', list) == 1 and grant_head(lock, fence, list, record, ARGV[1], token) then
    return 1, 1
  end
  redis.call('DEL', lock, record)
  return 1, 0
end

local answers = {}
local refused
for i = 1, #KEYS, 4 do
  local state, granted, failure = release(KEYS[i], KEYS[i + 1], KEYS[i + 2], KEYS[i + 3], ARGV[(i - 1) / 4 + 2])
  answers[#answers + 1] = state
  answers[#answers + 1] = granted
  refused = refused or failure
end
return refused or answers
