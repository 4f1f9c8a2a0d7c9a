-- Those who wait for a lock are in a sorted set by their arrival, each as
-- "number token hand-over-lease-in-ms fencing-tokens channel"; the channel is the client's own, in a cluster for this lock alone.

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
  local last = tonumber(redis.pcall('GET', fence) or '0')
  return last and math.max(last + 1, micros())
end

local function keep(fence, first, count, life)
  return redis.pcall('SET', fence, string.format('%.0f', first + count - 1), 'PX', life)
end

-- The first who waits; nil if there is none, or the user may not know.
local function head(list)
  return redis.pcall('ZRANGE', list, '0', '0')[1]
end

local function parts(waiter)
  return string.match(waiter, '^%d+ (%S+) (%d+) (%d+) (.+)$')
end

-- How many clients of this server listen to a channel by its name; nil if the user may not ask. PUBLISH would not do: it counts
-- those who listen by a pattern, and reaches some whom it does not count, on replicas and other nodes.
local function listeners(channel)
  return redis.pcall('PUBSUB', NUMSUB, channel)[2]
end

-- Whether so many were dropped that the server would stand still for others.
local dropped = 0
local function dropped_enough()
  return dropped >= 100
end

-- The first of those who wait that is there or is the asker, after dropping those before it. Nil if there is none, if the user may
-- not know, and after enough drops.
local function first_there(list, asker)
  while not dropped_enough() do
    local waiter = head(list)
    if not waiter or waiter == asker then
      return waiter
    end
    local _, _, _, channel = parts(waiter)
    local heard = 0
    if channel then
      heard = listeners(channel)
    end
    if heard ~= 0 then
      return heard and waiter
    end
    redis.call('ZREM', list, waiter)
    dropped = dropped + 1
  end
end

-- Sends one who waits a message about the lock, which only who knows the token can have sent. Returns false where that is not allowed.
local function tell(waiter, lock, first, since)
  local token, _, _, channel = parts(waiter)
  local text = string.format('%s %.0f %.0f %s', redis.sha1hex(token), first, since, lock)
  return type(redis.pcall(PUBLISH, channel, text)) == 'number'
end

-- Grants a lock that nobody holds to the first of those who wait before an asker and are there. Returns whether there is one, and
-- whether the asker's turn has come; the lock may be taken for nobody if there is none.
local function hand_over(lock, fence, list, life, asker)
  local waiter = first_there(list, asker)
  if not waiter or waiter == asker then
    return false, waiter == asker
  end
  local token, lease, fences = parts(waiter)
  local first = 0
  if tonumber(fences) > 0 then
    first = draw(fence)
  end
  -- Written before it is told, since the server may have no room for it.
  if not first or redis.pcall('SET', lock, token, 'PX', lease).err then
    return false
  end
  if first > 0 and keep(fence, first, fences, life).err then
    return false
  end
  if not tell(waiter, lock, first, micros()) then
    return false
  end
  redis.call('ZREM', list, waiter)
  return true
end
