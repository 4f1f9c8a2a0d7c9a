-- Grants a read lock that nobody wants to write, by few commands; all else is for what follows.
if redis.call('EXISTS', WRITER, TO_WRITE, TO_READ) == 0 then
  local fence = ARGV[3] == '0' and 0 or tonumber(redis.call('GET', FENCE) or nil)
  if fence then
    local now = millis(micros())
    redis.call('ZADD', READERS, 'GT', now + ARGV[2], ARGV[1])
    -- At most once in a millisecond.
    if redis.call('PTTL', READERS) < ARGV[2] + TRACE then
      redis.call('PEXPIRE', READERS, ARGV[2] + TRACE)
      if fence > 0 and redis.call('PTTL', FENCE) < ARGV[4] / 2 then
        redis.call('PEXPIRE', FENCE, ARGV[4])
      end
    end
    return {1, fence}
  end
end
