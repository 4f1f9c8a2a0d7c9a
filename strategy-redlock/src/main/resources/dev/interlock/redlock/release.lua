-- KEYS: the lock.  ARGV: owner token, channel, or nothing where nobody is to be told.
-- Returns 1 if the lock was held by this token and is free now, 0 if it is gone, -1 if something else is there.
local holder = redis.pcall('GET', KEYS[1])
if not holder then
  return 0
end
if type(holder) == 'table' and string.sub(holder.err, 1, 9) ~= 'WRONGTYPE' then
  return holder
end
if holder ~= ARGV[1] then
  return -1
end
redis.call('DEL', KEYS[1])
if ARGV[2] then
  -- Only a hint: the lock is free even if the user may not use the channel.
  redis.pcall('PUBLISH', ARGV[2], '')
end
return 1
