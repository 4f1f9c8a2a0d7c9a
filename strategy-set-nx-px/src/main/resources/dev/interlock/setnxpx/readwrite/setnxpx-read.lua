-- ARGV: owner token, lease in ms, 1 if a fence is wanted or 0, life of the fence in ms, token of a hold of the same
-- thread or ''; place among those who wait or '', channel of the client, life of the list in ms or 0 not to enter it,
-- when the place was taken first in µs or 0.
-- Returns {1, fence}, or {0, ms until somebody's lease ends or -1, when the place was taken first in µs or 0 if the
-- asker has none}.
local now = micros()
settle(millis(now))
local within = ARGV[5]
local function reads(token)
  return token ~= '' and redis.call('ZSCORE', READERS, token)
end
local writer = redis.call('GET', WRITER)
local free = not writer and redis.call('EXISTS', TO_WRITE) == 0
if not (free or reads(ARGV[1]) or reads(within) or (within ~= '' and writer == MAGIC .. within)) then
  return refuse(TO_READ, ARGV[6], ARGV[7], ARGV[8], ARGV[9], now)
end
local fence = 0
if ARGV[3] == '1' then
  fence = tonumber(redis.call('GET', FENCE) or nil)
  if fence then
    -- Not each time, as it would have to be replicated.
    if redis.call('PTTL', FENCE) < ARGV[4] / 2 then
      redis.call('PEXPIRE', FENCE, ARGV[4])
    end
  else
    local failure
    fence, failure = draw(FENCE, 1, ARGV[4], now)
    if not fence then
      return failure
    end
  end
end
redis.call('ZADD', READERS, 'GT', millis(now) + ARGV[2], ARGV[1])
if writer then
  redis.call('ZADD', READERS, '+inf', DOWNGRADE)
end
-- Even if it changes nothing, since another client has admitted the asker for as long: WAIT waits for what its own
-- connection has written.
redis.call('PEXPIRE', READERS, math.max(redis.call('PTTL', READERS), ARGV[2] + TRACE))
if ARGV[9] ~= '0' then
  redis.call('ZREM', TO_READ, ARGV[6])
end
return {1, fence}
