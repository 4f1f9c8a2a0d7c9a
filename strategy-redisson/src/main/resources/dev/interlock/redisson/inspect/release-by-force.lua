-- KEYS: the lock, the queue of a plain fair lock.
-- ARGV: the field of its holder, the channel, the command that publishes.
-- Returns 1 if that one held the lock, which is free now; 0 otherwise.
local held = redis.pcall('HEXISTS', KEYS[1], ARGV[1])
if type(held) == 'table' and string.sub(held.err, 1, 9) ~= 'WRONGTYPE' then
  return held
elseif held ~= 1 then
  return 0
end
redis.call('DEL', KEYS[1])
-- Those who wait for a fair lock listen each to a channel of their own.
local first = redis.pcall('LINDEX', KEYS[2], '0')
local channel = type(first) == 'string' and ARGV[2] .. ':' .. first or ARGV[2]
local heard = redis.pcall(ARGV[3], channel, '0')
if type(heard) == 'table' and ARGV[3] ~= 'PUBLISH' then
  redis.pcall('PUBLISH', channel, '0')
end
return 1
