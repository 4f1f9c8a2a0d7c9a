-- KEYS: the lock, the birth record of this node, and the fence of the lock if fencing tokens are wanted.
-- ARGV: owner token, lease in ms, state of the birth record that the client knows, or '' if it trusts servers to forget nothing,
-- fencing tokens to reserve, the least first one, life of the fence in ms.
-- Returns {1, first fencing token or 0}, or {0, ms until the key expires, a digest that tells holders apart}, or {-2} if the record
-- is not as the client knows it, or {-3} if the client trusts and others do not. Nothing is written before all is read and understood.
if redis.call('HGET', KEYS[2], 'id') ~= ARGV[3] then
  if ARGV[3] ~= '' then
    return {-2}
  elseif redis.call('EXISTS', KEYS[2]) == 1 then
    return {-3}
  end
end
local first = 0
local last
if KEYS[3] then
  last = redis.call('GET', KEYS[3]) or 0
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
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  local holder = redis.call('GET', KEYS[1])
  if holder ~= ARGV[1] then
    return {0, redis.call('PTTL', KEYS[1]), redis.sha1hex(holder)}
  end
end
if last then
  redis.call('SET', KEYS[3], string.format('%.0f', first + ARGV[4] - 1), 'PX', ARGV[6])
end
return {1, first}
