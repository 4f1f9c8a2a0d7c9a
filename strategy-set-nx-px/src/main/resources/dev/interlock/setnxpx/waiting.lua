-- Those who wait for a lock are in a sorted set by their arrival, each as
-- "number token hand-over-lease-in-ms fencing-tokens channel"; the channel is the client's own.

-- The server's time in µs, read once: before the lease of a grant begins, or hardly after.
local now
local function micros()
  if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000000 + time[2]
  end
  return now
end

-- The first of the next fencing tokens, or nil if the fence is not a number.
local function draw(fence)
  local last = tonumber(redis.call('GET', fence) or '0')
  return last and math.max(last + 1, micros())
end

local function keep(fence, first, count, life)
  return redis.pcall('SET', fence, string.format('%.0f', first + count - 1), 'PX', life)
end

-- The first who waits; nil if there is none, or the user may not know.
local function head(list)
  return redis.pcall('ZRANGE', list, '0', '0')[1]
end

-- Sends one who waits a message about the lock, and drops those who are gone. Gives up where messages are not allowed.
local function tell(list, waiter, lock, first, since)
  local number, channel = string.match(waiter, '^(%d+) %S+ %d+ %d+ (.+)$')
  local heard = number and redis.pcall('PUBLISH', channel, string.format('%s %.0f %.0f %s', number, first, since, lock)) or 0
  if heard == 0 then
    redis.call('ZREM', list, waiter)
  end
  return heard
end

-- Grants a lock that nobody holds to the first of those who wait before an asker and are there. Returns whether there is one, and
-- whether the asker's turn has come; the lock may be taken for nobody if there is none.
local function hand_over(lock, fence, list, life, asker)
  local waiter = head(list)
  while waiter do
    if waiter == asker then
      return false, true
    end
    local token, lease, fences = string.match(waiter, '^%d+ (%S+) (%d+) (%d+) ')
    local first = 0
    if fences and tonumber(fences) > 0 then
      first = draw(fence)
    end
    -- Written before it is told, since the server may have no room for it.
    if not first or token and redis.pcall('SET', lock, token, 'PX', lease).err then
      return false
    end
    if first > 0 and keep(fence, first, fences, life).err then
      return false
    end
    local heard = tell(list, waiter, lock, first, micros())
    if type(heard) ~= 'number' then
      return false
    end
    if heard > 0 then
      redis.call('ZREM', list, waiter)
      return true
    end
    waiter = head(list)
  end
  return false
end

