-- KEYS: the lock, its fence.  ARGV: owner token, lease in ms, fencing tokens to reserve, life of the fence in ms.
-- Returns {1, first fencing token} or {0, ms until the lock is free}. Nothing is written before all is read and understood.
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return {0, redis.call('PTTL', KEYS[1])}
end
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
if not last then
  return redis.error_reply('ERR the fence of this lock is not a number')
end
local now = redis.call('TIME')
local first = math.max(last + 1, now[1] * 1000000 + now[2])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[2], string.format('%.0f', first + ARGV[3] - 1), 'PX', ARGV[4])
return {1, first}
