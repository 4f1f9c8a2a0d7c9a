-- KEYS: the lock, its fence.  ARGV: owner token, last of the fencing tokens to reserve, life of the fence in ms.
-- Returns 1 if the lock is held by this token and the fence stands at that last one, which is where it is raised to; 0
-- if the lock is not held by this token, or the fence is beyond.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
if tonumber(redis.call('GET', KEYS[2]) or '0') > tonumber(ARGV[2]) then
  return 0
end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return 1
