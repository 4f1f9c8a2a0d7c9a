-- KEYS: the lock, those who wait.  ARGV: lock word.
-- Returns 1 if the lock was held under this word, nobody waits for it, and it is free now; otherwise 0.
if redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('DEL', KEYS[1])
  announce(KEYS[1])
  return 1
end
return 0
