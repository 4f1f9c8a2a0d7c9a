-- Takes a lock that nobody holds and nobody waits for; where the token is to be drawn by time, the rest is in draw-and-take.lua.
-- KEYS: the lock, its fence, those who wait.
-- ARGV: lock word, lease in ms, fencing tokens to reserve, life of the fence in ms, what the fence holds at least if it has lost nothing,
-- or '' if the asker does not know.
-- Returns the first fencing token, 0 if somebody else holds the lock, or -1 if the script that knows those who wait has to say.
if redis.call('EXISTS', KEYS[1], KEYS[3]) ~= 0 then
  local holder = redis.call('GET', KEYS[1])
  if holder and holder ~= ARGV[1] and holder ~= ARGV[1] .. MARK then
    return 0
  end
  return -1
end
if ARGV[5] ~= '' then
  local counted = redis.pcall('INCRBY', KEYS[2], ARGV[3])
  if type(counted) == 'number' and counted - ARGV[3] >= tonumber(ARGV[5]) then
    redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
    return counted - ARGV[3] + 1
  end
end

