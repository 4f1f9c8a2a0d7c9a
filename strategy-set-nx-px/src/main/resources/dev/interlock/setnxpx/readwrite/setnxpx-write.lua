-- ARGV and results as for reading; no hold of the same thread matters.
local now = micros()
settle(millis(now))
local word = MAGIC .. ARGV[1]
local writer = redis.call('GET', WRITER)
if writer ~= word and (writer or redis.call('EXISTS', READERS, TO_WRITE, TO_READ) > 0) then
  return refuse(TO_WRITE, ARGV[6], ARGV[7], ARGV[8], ARGV[9], now)
end
local fence = 0
if ARGV[3] == '1' then
  local failure
  fence, failure = draw(FENCE, 1, ARGV[4], now)
  if not fence then
    return failure
  end
end
redis.call('SET', WRITER, word, 'PX', ARGV[2])
if ARGV[9] ~= '0' then
  redis.call('ZREM', TO_WRITE, ARGV[6])
end
return {1, fence}
