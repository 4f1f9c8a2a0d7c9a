-- KEYS: the lock, its fence, those who wait.
-- ARGV: owner token, lease in ms, fencing tokens to reserve, life of the fence in ms,
-- the place among those who wait or '' to disregard them, life of the list in ms or 0 not to wait, when the place was taken first in µs
-- or 0.
-- Returns {1, first fencing token}, {2, 0} if nobody holds the lock and so many who are gone stand in the list that the script has to be
-- sent again to drop more of them, or {0, ms until the lock is free, server's time in µs, when the place was taken first in µs or 0 if the
-- asker has none because this server would not reach it}.
local holder = redis.call('GET', KEYS[1])
local place = ARGV[5]
local taken = holder and holder ~= ARGV[1]
local first_in_list
if not holder and place ~= '' then
  taken, first_in_list = hand_over(KEYS[1], KEYS[2], KEYS[3], ARGV[4], place)
  -- Behind those who are gone others may wait, who came before the asker.
  if not taken and not first_in_list and dropped_enough() and head(KEYS[3]) then
    return {2, 0}
  end
end
if taken then
  local since = 0
  if ARGV[6] ~= '0' and (listeners(select(4, parts(place))) or 0) > 0 then
    since = ARGV[7] ~= '0' and ARGV[7] or micros()
    redis.call('ZADD', KEYS[3], 'NX', since, place)
    -- Half of it is longer than anybody takes to ask again.
    if redis.call('PTTL', KEYS[3]) < ARGV[6] / 2 then
      redis.call('PEXPIRE', KEYS[3], ARGV[6])
    end
  end
  return {0, redis.call('PTTL', KEYS[1]), micros(), tonumber(since)}
end
local first = 0
if ARGV[3] ~= '0' then
  first = draw(KEYS[2])
  if not first then
    return redis.error_reply('ERR the fence of this lock is not a number')
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
if first > 0 then
  local kept = keep(KEYS[2], first, ARGV[3], ARGV[4])
  if kept.err then
    redis.call('DEL', KEYS[1])
    return kept
  end
end
if first_in_list or ARGV[7] ~= '0' then
  redis.call('ZREM', KEYS[3], place)
end
return {1, first}
