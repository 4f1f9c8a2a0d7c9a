-- Grants a write lock that nobody else has or wants, by few commands; all else is for what follows.
if redis.call('EXISTS', WRITER, READERS, TO_WRITE, TO_READ) == 0 then
  local fence = 0
  if ARGV[3] == '1' then
    local failure
    fence, failure = draw(FENCE, 1, ARGV[4], micros())
    if not fence then
      return failure
    end
  end
  redis.call('SET', WRITER, MAGIC .. ARGV[1], 'PX', ARGV[2])
  return {1, fence}
end
