-- Ends the wait of a waiter unless it was signalled.
-- KEYS: the lock, its fence, those who wait for it, those who wait for the condition, its records.
-- ARGV: lock word of the waiter, the waiter, life of those who wait in ms, 1 to pass a signal on that it has got or 0.
-- Returns as the script that looks, but not what the lock holds.
if redis.call('ZREM', KEYS[4], ARGV[2]) == 1 then
  return {1, micros(), 1}
end
local state = is_pending(ARGV[2], KEYS[1], KEYS[3]) and 2 or 0
-- Its grant may have been given back already, without having told that the signal has arrived.
if ARGV[4] == '1' then
  pass_on(ARGV[2], KEYS[1], KEYS[4], KEYS[3], KEYS[5], ARGV[3])
end
return {state, micros(), 1}
