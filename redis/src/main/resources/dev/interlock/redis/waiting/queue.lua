-- Those who wait for a lock are in a sorted set by their arrival, each as
-- "number token lease-of-a-grant-in-ms fencing-tokens channel"; the channel is the client's own.

-- The first who waits, and the next; nil if there is none, or the user may not know.
local function head(list)
  local waiting = redis.pcall('ZRANGE', list, '0', '1')
  return waiting[1], waiting[2]
end

local function parts(waiter)
  return string.match(waiter, '^%S+ (%S+) (%d+) (%d+) (.+)$')
end

-- How many clients of this server listen to a channel by its name; nil if the user may not ask. PUBLISH would not do:
-- it counts those who listen by a pattern, and reaches some whom it does not count, on replicas and other nodes.
local function listeners(channel)
  return redis.pcall('PUBSUB', NUMSUB, channel)[2]
end

-- Returns whether this call has purged its maximum, so that the script does not block the server.
local dropped = 0
local function dropped_enough()
  return dropped >= 100
end

-- The first of those who wait that is there or is the asker, after dropping those before it, and the next. Nil if there
-- is none, if the user may not know, and after enough drops.
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

-- Sends one who waits a message, which only who knows the token can have sent, or can change. Returns false where that
-- is not allowed.
local function send(token, channel, text)
  local proof = redis.sha1hex(text .. ' ' .. token)
  return type(redis.pcall(PUBLISH, channel, proof .. ' ' .. text)) == 'number'
end

