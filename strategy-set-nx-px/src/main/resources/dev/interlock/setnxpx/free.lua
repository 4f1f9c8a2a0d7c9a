-- KEYS: the lock.  ARGV: lock word.
-- Returns 1 if the lock was held under this word, without a mark, and is free now; otherwise 0.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
