-- Those who wait for a lock are in a sorted set by their arrival, each as
-- "number token hand-over-lease-in-ms fencing-tokens channel"; the channel is the client's own, in a cluster for this lock alone.

-- The first who waits, and the next; nil if there is none, or the user may not know.
local function head(list)
  local waiting = redis.pcall('ZRANGE', list, '0', '1')
  return waiting[1], waiting[2]
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

-- The first of those who wait that is there or is the asker, after dropping those before it, and the next. Nil if there is none, if
-- the user may not know, and after enough drops.
local function first_there(list, asker)
  while not dropped_enough() do
    local waiter, another = head(list)
    if not waiter or waiter == asker then
      return waiter, another
    end
    local _, _, _, channel = parts(waiter)
    local heard = 0
    if channel then
      heard = listeners(channel)
    end
    if heard ~= 0 then
      return heard and waiter, another
    end
    redis.call('ZREM', list, waiter)
    dropped = dropped + 1
  end
end

-- Sends one who waits a message about the lock, which only who knows the token can have sent, or can change. Returns false where that is
-- not allowed.
local function tell(token, channel, lock, first, since)
  local text = string.format('%.0f %.0f %s', first, since, lock)
  local proof = redis.sha1hex(text .. ' ' .. token)
  return type(redis.pcall(PUBLISH, channel, proof .. ' ' .. text)) == 'number'
end

-- Grants a lock that nobody holds to the first of those who wait before an asker and are there. Returns the word that the lock holds
-- then, or nil; and whether the asker's turn has come. Without a word, the lock may be taken for nobody.
local function hand_over(lock, fence, list, life, asker)
  local waiter, another = first_there(list, asker)
  if not waiter or waiter == asker then
    return nil, waiter == asker
  end
  local token, lease, fences, channel = parts(waiter)
  -- The time is read before the lease of the grant begins.
  local now, first = micros(), 0
  if fences ~= '0' then
    first = draw(fence, fences, life, now)
  end
  local word = MAGIC .. token
  if another then
    word = word .. MARK
  end
  -- Written before it is told, since the server may have no room for it.
  if not first or redis.pcall('SET', lock, word, 'PX', lease).err then
    return nil
  end
  if not tell(token, channel, lock, first, now) then
    return nil
  end
  redis.call('ZREM', list, waiter)
  return word
end

