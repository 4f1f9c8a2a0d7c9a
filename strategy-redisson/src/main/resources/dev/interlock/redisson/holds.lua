-- KEYS: the lock.  ARGV: owner, field of its thread, how often that thread holds the lock by this owner.
-- Shows the count to a plain RLock of the same client and thread, which may have added its own. Returns {1}, or {0} if the lock is lost.
local before = redis.call('HGET', KEYS[1], ARGV[1])
if not before then
  return {0}
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then
  redis.call('HINCRBY', KEYS[1], ARGV[2], ARGV[3] - before)
else
  redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
end
return {1}
