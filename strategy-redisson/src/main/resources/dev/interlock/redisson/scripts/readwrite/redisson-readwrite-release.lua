-- KEYS: for each claim the lock and, of a reader, the hold; of a writer the lock again.
-- ARGV: the command that publishes; for each claim its field, the channel, and what the holds of all readers have in
-- common.
-- Returns for each 1 if the side was held and is not any more, 0 if it was gone, -1 if something else is there.

-- The longest time that a reader has left, also a plain one, which has a hold for each time that it has entered.
local function longest(lock, holds)
  local left = 0
  local fields = redis.call('HGETALL', lock)
  for i = 1, #fields, 2 do
    -- The mode is no number, and a count of another format could keep the server busy for ever.
    for entered = 1, math.min(tonumber(fields[i + 1]) or 0, 65535) do
      local hold = holds .. ':' .. fields[i] .. ':rwlock_timeout:' .. entered
      left = math.max(left, redis.call('PTTL', hold))
    end
  end
  return left
end

-- Tells plain waiters and ours; only a hint, as the side is free even if the user may not use the channel, or the
-- server does not know SPUBLISH.
local function tell(channel, message)
  local heard = redis.pcall(ARGV[1], channel, message)
  if type(heard) == 'table' and ARGV[1] ~= 'PUBLISH' then
    redis.pcall('PUBLISH', channel, message)
  end
end

local function release(lock, hold, field, channel, holds)
  local held = redis.pcall('HDEL', lock, field)
  if type(held) == 'table' then
    if string.sub(held.err, 1, 9) == 'WRONGTYPE' then
      return -1
    end
    return 0, held
  end
  local reads = hold ~= lock
  -- Also if somebody has removed the lock by force.
  local valid = not reads or redis.call('DEL', hold) == 1
  if held == 0 then
    return -redis.call('EXISTS', lock)
  end
  local state = valid and 1 or 0
  if reads and redis.call('HGET', lock, 'mode') == 'write' then
    -- Its thread goes on writing.
    return state
  end
  local left = longest(lock, holds)
  if left == 0 then
    -- Nobody is left, or the dead alone.
    redis.call('DEL', lock)
  else
    redis.call('PEXPIRE', lock, left)
  end
  -- A plain client wakes one of its waiters by 0, and all by 1.
  if not reads then
    if left > 0 then
      redis.call('HSET', lock, 'mode', 'read')
    end
    tell(channel, 1)
  elseif left == 0 then
    tell(channel, 0)
  end
  return state
end

local answers = {}
local refused
for i = 1, #KEYS / 2 do
  local state, failure =
    release(KEYS[2 * i - 1], KEYS[2 * i], ARGV[3 * i - 1], ARGV[3 * i], ARGV[3 * i + 1])
  answers[i] = state
  refused = refused or failure
end
return refused or answers
