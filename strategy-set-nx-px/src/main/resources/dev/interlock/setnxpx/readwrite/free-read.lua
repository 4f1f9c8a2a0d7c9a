-- Grants a read lock that nobody wants to write, by few commands; all else is for what follows.
if redis.call('EXISTS', WRITER, TO_WRITE, TO_READ) == 0 then
  local fence = ARGV[3] == '0' and 0 or tonumber(redis.call('GET', FENCE) or nil)
  if fence then
    local now = millis(micros())
    local changed = redis.call('ZADD', READERS, 'GT', 'CH', now + ARGV[2], ARGV[1])
    local left, life = redis.call('PTTL', READERS), ARGV[2] + TRACE
    -- At most once in a millisecond, but always for an asker whom another client has admitted for as long: WAIT waits
    -- for what its own connection has written.
    if left < life or changed == 0 then
      redis.call('PEXPIRE', READERS, math.max(left, life))
      if fence > 0 and redis.call('PTTL', FENCE) < ARGV[4] / 2 then
        redis.call('PEXPIRE', FENCE, ARGV[4])
      end
    end
    return {1, fence}
  end
end
