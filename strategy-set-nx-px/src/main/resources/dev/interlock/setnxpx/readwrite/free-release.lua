-- Gives back a side for which nobody waits, by few commands; all else is for what follows.
if redis.call('EXISTS', TO_WRITE, TO_READ) == 0 then
  if ARGV[1] == 'r' then
    local ends = redis.call('ZSCORE', READERS, ARGV[2])
    if not ends then
      return 0
    end
    redis.call('ZREM', READERS, ARGV[2])
    local now = millis(micros())
    redis.call('ZREMRANGEBYSCORE', READERS, '-inf', now)
    return tonumber(ends) > now and 1 or 0
  elseif redis.call('GET', WRITER) == MAGIC .. ARGV[2] then
    redis.call('DEL', WRITER)
    return 1
  end
end
