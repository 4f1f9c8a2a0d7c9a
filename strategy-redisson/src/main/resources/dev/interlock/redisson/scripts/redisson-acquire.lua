-- KEYS: the lock, its token.  ARGV: owner, lease in ms, fencing tokens to reserve or 0, life of the token in ms.
-- Returns {1, first fencing token} or {0, ms until the lock is free}. Nothing is written before all is read and
-- understood.
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return {0, redis.call('PTTL', KEYS[1])}
end
local first = 0
local fences = tonumber(ARGV[3])
if fences > 0 then
  local last = redis.call('GET', KEYS[2])
  local number = tonumber(last or '0')
  if not number then
    return redis.error_reply('ERR the token of this lock is not a number')
  end
  local now = redis.call('TIME')
  first = math.max(number + 1, now[1] * 1000000 + now[2])
  local next = string.format('%.0f', first + fences - 1)
  -- A counter without an end keeps having none: an RFencedLock made it, whose next token comes from nothing else, or
  -- another user of ours.
  if last and redis.call('PTTL', KEYS[2]) == -1 or ARGV[4] == '0' then
    redis.call('SET', KEYS[2], next)
  else
    redis.call('SET', KEYS[2], next, 'PX', ARGV[4])
  end
end
redis.call('HSET', KEYS[1], ARGV[1], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {1, first}
