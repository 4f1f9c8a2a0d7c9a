-- Enters a holder among those who wait for a condition, and gives its lock back.
-- KEYS: as for a release of the lock; those who wait for the condition.
-- ARGV: as for a release of the lock; the waiter, its channel, the life of those who wait in ms, 1 to give the lock
-- back or 0.
-- Returns as a release, with 1 if the lock is still held; the server's time in µs; and whether this server would reach
-- the waiter, 1 or 0.
local holder = redis.pcall('GET', KEYS[1])
if type(holder) == 'table' and string.sub(holder.err, 1, 9) ~= 'WRONGTYPE' then
  return holder
end
if holder ~= ARGV[2] and holder ~= ARGV[2] .. MARK then
  return {holder and -1 or 0, 0, 0, 0}
end
local now = micros()
redis.call('ZADD', KEYS[5], string.format('%.0f', now), ARGV[6])
redis.call('PEXPIRE', KEYS[5], ARGV[8])
local reached = (listeners(ARGV[7]) or 1) > 0 and 1 or 0
local state, counted = 1, -1
if ARGV[9] == '1' then
  state, counted = release(KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[2], ARGV[3], ARGV[4], ARGV[5])
end
return {state, counted, now, reached}
