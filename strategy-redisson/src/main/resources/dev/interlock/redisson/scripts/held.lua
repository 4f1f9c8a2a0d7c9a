-- KEYS: the lock.
-- Returns {1} if somebody holds the lock, or {0}.
return {redis.call('EXISTS', KEYS[1])}
