-- Lets a key live for a time at least.
local function keep(key, life)
  if redis.call('PTTL', key) < life then
    redis.call('PEXPIRE', key, life)
  end
end

-- Tells those who wait that their turn has come: the numbers of their claims, over the channels of their clients.
local function wake(numbers)
  for channel, waiting in pairs(numbers) do
    redis.pcall(PUBLISH, channel, table.concat(waiting, ' '))
  end
end

-- Begins a phase of reading with all who wait for it and are there. Returns whether there was any.
local function admit(now)
  local waiting = redis.call('ZRANGE', TO_READ, '0', '-1')
  local heard, numbers, longest = {}, {}, 0
  for _, waiter in ipairs(waiting) do
    local token, lease, _, channel = parts(waiter)
    if token and heard[channel] == nil then
      -- Whoever may not be counted is taken to be there: its lease is short until it has come.
      heard[channel] = (listeners(channel) or 1) > 0
    end
    if token and heard[channel] then
      -- The first write may find no room; then nobody is admitted, and all ask again.
      if type(redis.pcall('ZADD', READERS, 'GT', now + lease, token)) ~= 'number' then
        return false
      end
      longest = math.max(longest, lease)
      numbers[channel] = numbers[channel] or {}
      table.insert(numbers[channel], string.match(waiter, '^%d+'))
    end
  end
  redis.call('DEL', TO_READ)
  if longest > 0 then
    keep(READERS, longest + TRACE)
    wake(numbers)
  end
  return longest > 0
end

-- Begins the phase of the first who waits to write and is there. Returns whether there was any.
local function promote()
  local waiter = first_there(TO_WRITE)
  if not waiter then
    return false
  end
  local token, lease, _, channel = parts(waiter)
  if redis.pcall('SET', WRITER, MAGIC .. token, 'PX', lease).err then
    return false
  end
  redis.call('DEL', READERS)
  redis.call('ZREM', TO_WRITE, waiter)
  wake({[channel] = {string.match(waiter, '^%d+')}})
  return true
end

-- Ends what is over, and begins the phase whose turn it is. Which one that is follows from what has just ended: 'w' for
-- a writer, 'r' for a reader, nil for neither, when readers whose lease is over tell that there was a phase of reading.
local function settle(now, ended)
  if redis.call('ZREMRANGEBYSCORE', READERS, '-inf', now) > 0 then
    ended = ended or 'r'
  end
  if redis.call('EXISTS', WRITER) == 1 then
    return
  end
  -- Whatever has ended since: the phase was one of writing.
  if redis.call('ZREM', READERS, DOWNGRADE) == 1 then
    ended = 'w'
  end
  if redis.call('EXISTS', TO_WRITE, TO_READ) == 0 then
    return
  end
  if redis.call('EXISTS', READERS) == 1 then
    -- A writer goes on reading, or whoever waited to write has left: those who are gone are dropped, and who may not
    -- ask drops nobody.
    local _ = ended == 'w' or first_there(TO_WRITE)
    if ended == 'w' or redis.call('EXISTS', TO_WRITE) == 0 then
      admit(now)
    end
  elseif ended == 'r' then
    if not promote() and redis.call('EXISTS', TO_WRITE) == 0 then
      admit(now)
    end
  else
    local _ = admit(now) or promote()
  end
end

-- When somebody's lease ends at the latest if it is not extended, in ms from now; -1 if that is not known.
local function patience(now)
  local ends = redis.call('PTTL', WRITER)
  local first = redis.call('ZRANGE', READERS, '0', '0', 'WITHSCORES')
  if ends < 0 and first[2] then
    ends = math.max(0, first[2] - now)
  end
  return ends < 0 and -1 or ends
end

-- Refuses an asker, who takes a place if its messages would reach it.
local function refuse(list, place, channel, life, since, now)
  local taken = 0
  if life ~= '0' and (listeners(channel) or 0) > 0 then
    taken = since ~= '0' and since or now
    redis.call('ZADD', list, 'NX', taken, place)
    keep(list, tonumber(life))
  end
  return {0, patience(millis(now)), tonumber(taken)}
end
