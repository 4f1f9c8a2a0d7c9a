-- Notes that a signal has arrived whose waiter holds the lock by another claim, and gives up the place of the waiter,
-- or its grant.
-- KEYS: the lock, its fence, those who wait for it, the records of the condition.
-- ARGV: as for a release of the lock by the claim of the waiter.
-- Returns as a release.
redis.call('ZREM', KEYS[4], ARGV[4] .. string.sub(ARGV[2], #MAGIC + 1) .. ARGV[5])
local state, counted, failure = release(KEYS[1], KEYS[2], KEYS[3], KEYS[3], ARGV[2], ARGV[3], ARGV[4], ARGV[5])
return failure or {state, counted}
