-- KEYS: the lock.  ARGV: owner, the command that publishes, channel, lease of a plain lock in ms.
-- Returns {1} if the lock was held by this owner, {0} if it is gone, {-1} if something else is there.
local holds = redis.pcall('HGET', KEYS[1], ARGV[1])
if type(holds) == 'table' then
  return string.sub(holds.err, 1, 9) == 'WRONGTYPE' and {-1} or holds
end
if not holds then
  return {-redis.call('EXISTS', KEYS[1])}
end
redis.call('HDEL', KEYS[1], ARGV[1])
-- Other fields count the holds of the same thread, ours and those by a plain RLock, which may go on.
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if redis.call('HINCRBY', KEYS[1], field, -holds) <= 0 then
    redis.call('HDEL', KEYS[1], field)
  end
end
if redis.call('EXISTS', KEYS[1]) == 1 then
  -- That one takes its watchdog's time for granted, and ours may have been shorter.
  redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), ARGV[4]))
  return {1}
end
-- Only a hint: the lock is free even if the user may not use the channel, or the server does not know SPUBLISH.
local heard = redis.pcall(ARGV[2], ARGV[3], 0)
if type(heard) == 'table' and ARGV[2] ~= 'PUBLISH' then
  redis.pcall('PUBLISH', ARGV[3], 0)
end
return {1}
