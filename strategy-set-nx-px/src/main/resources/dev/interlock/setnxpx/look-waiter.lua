-- Tells where a waiter stands, and passes on the signals of its condition whose waiters are gone.
-- KEYS: the lock, its fence, those who wait for it, those who wait for the condition, its records.
-- ARGV: lock word of the waiter, the waiter, life of those who wait in ms, life of the fence in ms, the waiter's
-- channel.
-- Returns 1 if it waits for a signal, 2 if it was signalled, 0 if it is not known; the server's time in µs; whether
-- this server would reach it, 1 or 0; and what the lock holds, '' if nothing, with its life in ms. A record lives for
-- as long as somebody waits, since its waiter may hold the lock for that long.
if redis.call('PTTL', KEYS[5]) < ARGV[3] / 2 then
  redis.call('PEXPIRE', KEYS[5], ARGV[3])
end
for _, waiter in ipairs(redis.call('ZRANGE', KEYS[5], '0', '9')) do
  if waiter ~= ARGV[2] and not is_pending(waiter, KEYS[1], KEYS[3]) then
    pass_on(waiter, KEYS[1], KEYS[4], KEYS[3], KEYS[5], ARGV[3])
  end
end
-- Where nobody holds the lock, no release will grant it to those who were signalled.
if redis.call('EXISTS', KEYS[1]) == 0 then
  hand_over(KEYS[1], KEYS[2], KEYS[3], ARGV[4])
end
local state = 0
if redis.call('ZSCORE', KEYS[4], ARGV[2]) then
  state = 1
  if redis.call('PTTL', KEYS[4]) < ARGV[3] / 2 then
    redis.call('PEXPIRE', KEYS[4], ARGV[3])
  end
elseif is_pending(ARGV[2], KEYS[1], KEYS[3]) then
  state = 2
end
local holder = redis.pcall('GET', KEYS[1])
return {
  state, micros(), (listeners(ARGV[5]) or 1) > 0 and 1 or 0, type(holder) == 'string' and holder or '',
  redis.call('PTTL', KEYS[1])
}
