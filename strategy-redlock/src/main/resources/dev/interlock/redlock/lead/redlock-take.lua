-- Takes a lock on one node.
-- KEYS: the lock, the birth record of this node, those who wait, the record of the lead, and the fence of the lock if
-- fencing tokens are wanted.
-- ARGV: owner token, lease in ms, state of the birth record, fencing tokens to reserve, the least first one, life of
-- the fence in ms, and the token of a holder that has released the lock, which may be replaced, or ''.
-- Returns {1, first fencing token or 0}, or {0, ms until the key expires, a digest that tells holders apart}. Nothing
-- is written before all is read and understood.
local first = 0
local last
if KEYS[5] then
  last = redis.call('GET', KEYS[5]) or 0
  first = tonumber(ARGV[5])
  if not tonumber(last) then
    return redis.error_reply('ERR the fence of this lock is not a number')
  end
  if first > last + 60000000 then
    -- Or one client whose clock is wrong would leave a counter behind that is of no more use to the others.
    local now = redis.call('TIME')
    if first > (now[1] + 60) * 1000000 then
      return redis.error_reply('ERR the clock of this client is more than a minute ahead of this server: set both right')
    end
  end
  first = math.max(last + 1, first)
end
local function granted()
  if last then
    redis.call('SET', KEYS[5], string.format('%.0f', first + ARGV[4] - 1), 'PX', ARGV[6])
  end
  return {1, first}
end
-- Mostly nobody holds the lock, and nobody waits: then this is all.
if redis.call('EXISTS', KEYS[1], KEYS[3]) == 0 then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return granted()
end

local holder = redis.call('GET', KEYS[1])
local function refuse()
  return {0, redis.call('PTTL', KEYS[1]), redis.sha1hex(redis.call('GET', KEYS[1]) or '')}
end
local function take()
  if holder ~= ARGV[1] then
    redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  end
  return granted()
end
if holder then
  if holder == ARGV[1] or (ARGV[7] ~= '' and holder == ARGV[7]) then
    return take()
  end
  return refuse()
end
