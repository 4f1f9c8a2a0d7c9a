-- KEYS: the lock.  ARGV: owner, field of its thread, how often that thread holds the lock by this owner.
-- Shows the count to a plain RLock of the same client and thread, which may have added its own. Returns {1}, or {0} if
-- the lock is lost.
--
-- The field counts 2^32 more than there are holds. A plain lock deletes the whole hash when its own unlock() brings the
-- field to zero, and 2^32 keeps an unlock() without a lock() from that. Nobody sees it, since RLock.getHoldCount()
-- returns the lower 32 bits.
local kept = 4294967296
local before = redis.call('HGET', KEYS[1], ARGV[1])
if not before then
  return {0}
end
local shown = tonumber(redis.call('HGET', KEYS[1], ARGV[2])) or 0
-- Negative if a plain lock was unlocked more often than locked.
local plain = math.max(shown - kept - before, 0)
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('HSET', KEYS[1], ARGV[2], string.format('%.0f', kept + ARGV[3] + plain))
return {1}
