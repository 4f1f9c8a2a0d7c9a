-- Gives back a side for which nobody waits, by few commands; all else is for what follows, a writer that reads, too.
if ARGV[1] == 'r' then
  if redis.call('EXISTS', TO_WRITE, TO_READ) == 0 then
    local ends = redis.call('ZSCORE', READERS, ARGV[2])
    if not ends then
      return 0
    end
    redis.call('ZREM', READERS, ARGV[2])
    local now = millis(micros())
    redis.call('ZREMRANGEBYSCORE', READERS, '-inf', now)
    return tonumber(ends) > now and 1 or 0
  end
elseif redis.call('EXISTS', TO_WRITE, TO_READ, READERS) == 0 and redis.call('GET', WRITER) == MAGIC .. ARGV[2] then
  redis.call('DEL', WRITER)
  return 1
end
