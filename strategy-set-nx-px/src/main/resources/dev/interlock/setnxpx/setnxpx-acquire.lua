-- KEYS: the lock, its fence, those who wait.
-- ARGV: owner token, lease in ms, fencing tokens to reserve, life of the fence in ms, 1 if the asker goes on waiting or
-- 0; number of the claim, lease of a hand-over in ms, channel of the client or '' to disregard those who wait, life of
-- the list in ms or 0 not to enter it, when the place was taken first in µs or 0.
-- Returns {1, first fencing token}, {2, 0} if the lock is free but the list still has dead waiters: send the script
-- again to purge more; or {0, ms until the lock is free, server's time in µs, when the place was taken first in µs or 0
-- if the asker has none because this server would not reach it, 1 if the holder is a program of another make or 0}.
local word = MAGIC .. ARGV[1]
local holder = redis.call('GET', KEYS[1])
local mine = holder == word or holder == word .. MARK
local queues = ARGV[8] ~= ''
local place = ARGV[6] .. ' ' .. ARGV[1] .. ' ' .. ARGV[7] .. ' ' .. ARGV[3] .. ' ' .. ARGV[8]
local first_in_list
if not holder and queues then
  holder, first_in_list = hand_over(KEYS[1], KEYS[2], KEYS[3], ARGV[4], place)
  -- Behind those who are gone others may wait, who came before the asker.
  if not holder and not first_in_list and dropped_enough() and head(KEYS[3]) then
    return {2, 0}
  end
end
if holder and not mine then
  local ours = string.sub(holder, 1, #MAGIC) == MAGIC
  if ARGV[5] == '1' and ours and MARK ~= '' and string.sub(holder, -#MARK) ~= MARK then
    redis.call('APPEND', KEYS[1], MARK)
  end
  local now, since = micros(), 0
  if ARGV[9] ~= '0' and (listeners(ARGV[8]) or 0) > 0 then
    since = ARGV[10] ~= '0' and ARGV[10] or now
    redis.call('ZADD', KEYS[3], 'NX', since, place)
    -- Half of it is longer than anybody takes to ask again.
    if redis.call('PTTL', KEYS[3]) < ARGV[9] / 2 then
      redis.call('PEXPIRE', KEYS[3], ARGV[9])
    end
  end
  return {0, redis.call('PTTL', KEYS[1]), now, tonumber(since), ours and 0 or 1}
end
local first = 0
if ARGV[3] ~= '0' then
  local failure
  first, failure = draw(KEYS[2], ARGV[3], ARGV[4], micros())
  if not first then
    return failure
  end
end
if first_in_list or ARGV[10] ~= '0' then
  redis.call('ZREM', KEYS[3], place)
end
if mine then
  -- Anything but SET, which would take the mark off.
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
else
  -- In one command, since a lock that is taken by a script which fails then is held by nobody.
  local marked = redis.call('EXISTS', KEYS[3]) == 1 and MARK or ''
  redis.call('SET', KEYS[1], word .. marked, 'PX', ARGV[2])
end
return {1, first}
