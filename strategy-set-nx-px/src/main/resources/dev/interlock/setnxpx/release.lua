-- KEYS: the lock, its fence, those who wait.
-- ARGV: owner token, channel of the lock or '' not to use it, the place among those who wait or '' if there is none, life of the fence in ms.
-- Returns 1 if the lock was held by this token and is not any more, 0 if it is gone, -1 if something else is there.
local holder = redis.pcall('GET', KEYS[1])
if type(holder) == 'table' and string.sub(holder.err, 1, 9) ~= 'WRONGTYPE' then
  return holder
end
if holder ~= ARGV[1] then
  if ARGV[3] ~= '' then
    redis.call('ZREM', KEYS[3], ARGV[3])
  end
  return holder and -1 or 0
end
-- Only a hint: the lock is free even if the user may not use the channel.
local heard = ARGV[2] ~= '' and redis.pcall('PUBLISH', ARGV[2], '')
if type(heard) == 'number' and heard > 0 then
  -- Whoever listens has no place among those who wait, so all of them try.
  redis.call('DEL', KEYS[1])
  local waiter = head(KEYS[3])
  while waiter and tell(KEYS[3], waiter, KEYS[1], 0, 0) == 0 do
    waiter = head(KEYS[3])
  end
elseif not hand_over(KEYS[1], KEYS[2], KEYS[3], ARGV[4], '') then
  redis.call('DEL', KEYS[1])
end
return 1
