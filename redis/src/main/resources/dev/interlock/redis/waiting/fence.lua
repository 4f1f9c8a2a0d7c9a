-- The server's time in µs.
local function micros()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Draws fencing tokens that are greater than all before, even if the counter was lost. Returns the first, or nil and
-- the error.
local function draw(fence, count, life, now)
  local last = tonumber(redis.pcall('GET', fence) or 0)
  if not last or not (last < 2^53) then
    return nil, redis.error_reply('ERR the fence of this lock is not a number')
  end
  local first = math.max(last + 1, now)
  local kept = redis.pcall('SET', fence, string.format('%.0f', first + count - 1), 'PX', life)
  if kept.err then
    return nil, kept
  end
  return first
end

