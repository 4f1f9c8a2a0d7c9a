-- Gives the signal of a waiter to the claim by which its thread holds the lock: the record passes to that claim, whose
-- release ends it. The waiter gives up its place, or its grant.
-- KEYS: the lock, its fence, those who wait for it, the records of the condition, the records of the condition whose
-- signal the holder's claim has had, or those who wait once more if there is none.
-- ARGV: as for a release of the lock by the claim of the waiter; the record of the holder's claim, and the one that it
-- has had, whose signal is done, or ''.
-- Returns as a release.
local waiter = ARGV[4] .. string.sub(ARGV[2], #MAGIC + 1) .. ARGV[5]
local place = redis.call('ZSCORE', KEYS[4], waiter)
-- Written before others are deleted, since the server may have no room for it.
if place then
  redis.call('ZADD', KEYS[4], place, ARGV[6])
  redis.call('ZREM', KEYS[4], waiter)
end
if ARGV[7] ~= '' and not (place and ARGV[7] == ARGV[6]) then
  redis.call('ZREM', KEYS[5], ARGV[7])
end
local state, counted, failure = release(KEYS[1], KEYS[2], KEYS[3], KEYS[3], ARGV[2], ARGV[3], ARGV[4], ARGV[5])
return failure or {state, counted}
