-- KEYS: the lock, its token, the queue of a plain fair lock.
-- ARGV: how many fields the lock of one holder has at most, how many of those who wait are to be told at most, the
-- channel, and the question for how many listen to it.
-- Returns nil if the key is no hash, or has more fields; otherwise ms until it ends or -1, the last fencing token or
-- '', how many listen or -1, how many stand in the queue, the number of fields, the fields with what they hold, and
-- those who stand in the queue.
local fields = redis.pcall('HLEN', KEYS[1])
if type(fields) ~= 'number' or fields == 0 or fields > tonumber(ARGV[1]) then
  return nil
end
local token = redis.pcall('GET', KEYS[2])
local heard = redis.pcall('PUBSUB', ARGV[4], ARGV[3])
local queue = redis.pcall('LRANGE', KEYS[3], '0', ARGV[2] - 1)
local length = redis.pcall('LLEN', KEYS[3])
local seen = {
  redis.call('PTTL', KEYS[1]),
  type(token) == 'string' and token or '',
  heard[2] or -1,
  type(length) == 'number' and length or 0,
  fields,
}
for _, part in ipairs(redis.call('HGETALL', KEYS[1])) do
  seen[#seen + 1] = part
end
for _, waiter in ipairs(queue) do
  seen[#seen + 1] = waiter
end
return seen
