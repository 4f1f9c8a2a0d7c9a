-- Draws a fencing token from the counter that an RFencedLock of this name would use.
local function draw(counter, last, life)
  local now = redis.call('TIME')
  local token = math.max(last + 1, now[1] * 1000000 + now[2])
  -- As for locks: a counter without an end keeps having none.
  if life == '0' or last > 0 and redis.call('PTTL', counter) == -1 then
    redis.call('SET', counter, string.format('%.0f', token))
  else
    redis.call('SET', counter, string.format('%.0f', token), 'PX', life)
  end
  return token
end

-- Returns the last token, 0 if there is none, or nil if the counter is no number.
local function last_token(counter)
  return tonumber(redis.call('GET', counter) or '0')
end

local NO_NUMBER = 'ERR the token of this lock is not a number'
