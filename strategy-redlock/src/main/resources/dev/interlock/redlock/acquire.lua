-- KEYS: the lock, and its fence if fencing tokens are wanted.
-- ARGV: owner token, lease in ms, fencing tokens to reserve, the least first one, life of the fence in ms.
-- Returns {1, first fencing token or 0} or {0, ms until the key expires, a digest that tells holders apart}.
-- Nothing is written before all is read and understood.
local first = 0
local last
if KEYS[2] then
  last = redis.call('GET', KEYS[2]) or 0
  first = tonumber(ARGV[4])
  if not tonumber(last) then
    return redis.error_reply('ERR the fence of this lock is not a number')
  end
  first = math.max(last + 1, first)
end
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  local holder = redis.call('GET', KEYS[1])
  if holder ~= ARGV[1] then
    return {0, redis.call('PTTL', KEYS[1]), redis.sha1hex(holder)}
  end
end
if last then
  redis.call('SET', KEYS[2], string.format('%.0f', first + ARGV[3] - 1), 'PX', ARGV[5])
end
return {1, first}
