-- ARGV: r or w, owner token, place among those who wait or ''.
-- Returns 1 if the side was held under this token and is not any more, 0 if that is gone, -1 if somebody else writes.
local now = millis(micros())
local state, ended = 0, nil
if ARGV[1] == 'w' then
  local writer = redis.call('GET', WRITER)
  if writer == MAGIC .. ARGV[2] then
    redis.call('DEL', WRITER)
    state, ended = 1, 'w'
  elseif writer then
    state = -1
  end
  if ARGV[3] ~= '' then
    redis.call('ZREM', TO_WRITE, ARGV[3])
  end
else
  local ends = redis.call('ZSCORE', READERS, ARGV[2])
  if ends then
    redis.call('ZREM', READERS, ARGV[2])
    state, ended = tonumber(ends) > now and 1 or 0, 'r'
  elseif ARGV[3] ~= '' then
    redis.call('ZREM', TO_READ, ARGV[3])
  end
end
settle(now, ended)
return state
