-- The lead of a lock keeps a record beside the key: "root hop claim deadline first last predecessor". The root is the
-- token in the key; the record counts only if it names that one. The hop says how often the root was passed on, and the
-- claim to whom, or '-'; the deadline, in µs of this server's clock, until when. First and last are the fencing tokens
-- that are left. The predecessor is the holder whose release has made the lock free for the root, or '-'. A root that
-- was not passed on yet has no deadline: then it is 1 if another token was released here since the root was granted.

-- What the record says, if it belongs to a root.
local function recorded(record, root)
  local kept = root and redis.pcall('GET', record)
  if type(kept) == 'string' then
    local of, hop, claim, deadline, first, last, predecessor =
      string.match(kept, '^(%S+) (%d+) (%S+) (%d+) (%d+) (%d+) (%S+)$')
    if of == root then
      return {
        hop = tonumber(hop),
        claim = claim,
        deadline = tonumber(deadline),
        first = tonumber(first),
        last = tonumber(last),
        predecessor = predecessor,
      }
    end
  end
end

local function text_of(root, hop, claim, deadline, first, last, predecessor)
  return string.format('%s %d %s %.0f %.0f %.0f %s', root, hop, claim, deadline, first, last, predecessor)
end

-- Enters one who waits, unless this server would not reach its client. Returns since when it has its place, in µs; or 0
-- if it has none.
local function enter(list, place, channel, since, life)
  if (listeners(channel) or 0) == 0 then
    return 0
  end
  since = since ~= '0' and tonumber(since) or micros()
  redis.call('ZADD', list, 'NX', string.format('%.0f', since), place)
  -- Half of it is longer than anybody takes to ask again.
  if redis.call('PTTL', list) < life / 2 then
    redis.call('PEXPIRE', list, life)
  end
  return since
end

-- Grants a lock that nobody holds to the first who waits and is there; to the one who asks, for another lease. Returns
-- its token; nil if nobody is there; or nil and an error.
local function grant_head(lock, fence, list, record, life, predecessor, asker, asked)
  local waiter = first_there(list, asker)
  if not waiter then
    return nil
  end
  local token, lease, fences, channel = parts(waiter)
  if waiter == asker then
    lease = asked
  end
  local first, last = 0, 0
  if fence and fences ~= '0' then
    -- Enough for a chain of owners, and few enough that the counter does not run ahead of the clock.
    local count = math.max(fences, math.min(fences * 64, 1024))
    local failure
    first, failure = draw(fence, count, life, micros())
    if not first then
      return nil, failure
    end
    last = first + count - 1
  end
  -- The record first: one that names another root than the key counts for nothing.
  local kept = redis.pcall('SET', record, text_of(token, 0, '-', 0, first, last, predecessor), 'PX', lease)
  if not kept.err then
    kept = redis.pcall('SET', lock, token, 'PX', lease)
  end
  if kept.err then
    return nil, kept
  end
  redis.call('ZREM', list, waiter)
  if waiter ~= asker then
    -- Only that there is something to ask for: tokens travel in replies.
    send(token, channel, 'granted ' .. lock)
  end
  return token
end

-- Whether a deadline is to come, by a clock that shows no less than it must.
local function is_before(deadline, least)
  local now = micros()
  return now < deadline and now >= tonumber(least)
end

-- Passes a root on to the first who waits and is there. Returns whether anybody is.
local function hop_on(lock, list, record, root, hop, deadline, first, last)
  local waiter = first_there(list)
  if not waiter then
    return false
  end
  local token, _, fences, channel = parts(waiter)
  if fences ~= '0' and first + fences - 1 > last then
    return false
  end
  -- Whatever fails leaves the record as it was: who hears of an error takes it that nothing was passed.
  redis.call('ZREM', list, waiter)
  redis.call('SET', record, text_of(root, hop, token, deadline, first, last, '-'), 'KEEPTTL')
  send(
    token,
    channel,
    string.format('passed %d %.0f %.0f %s %s', hop, deadline, first, redis.sha1hex('root ' .. root), lock)
  )
  return true
end

