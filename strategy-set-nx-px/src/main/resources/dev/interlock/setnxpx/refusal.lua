-- KEYS: the lock.  ARGV: owner token.
-- Explains why SET NX did nothing: {1} because this token holds the lock already, or {0, ms until the lock is free}.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return {1}
end
return {0, redis.call('PTTL', KEYS[1])}
