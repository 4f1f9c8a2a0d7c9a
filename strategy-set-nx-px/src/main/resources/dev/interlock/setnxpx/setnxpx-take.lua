-- Takes a lock that nobody holds and nobody waits for.
-- KEYS: the lock, its fence, those who wait.
-- ARGV: lock word, lease in ms, fencing tokens to reserve, life of the fence in ms.
-- Returns the first fencing token, 0 if somebody else holds the lock, or -1 if the script that knows those who wait has
-- to say.
if redis.call('EXISTS', KEYS[1], KEYS[3]) ~= 0 then
  local holder = redis.call('GET', KEYS[1])
  if holder and holder ~= ARGV[1] and holder ~= ARGV[1] .. MARK then
    return 0
  end
  return -1
end
local first, failure = draw(KEYS[2], ARGV[3], ARGV[4], micros())
if not first then
  return failure
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return first
