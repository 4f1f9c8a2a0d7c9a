-- KEYS: the lock, its fence, those who wait.  ARGV: how many of those who wait are to be told at most.
-- Returns nil if nobody holds the lock; otherwise its word, ms until it is free or -1, the last fencing token or '',
-- how many wait, and of the first of them the owner token and since when in µs, one after the other.
local holder = redis.pcall('GET', KEYS[1])
if type(holder) ~= 'string' then
  return nil
end
local seen = {holder, redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[2]) or '', 0}
local waiting = redis.pcall('ZRANGE', KEYS[3], '0', '-1', 'WITHSCORES')
if not waiting.err then
  seen[4] = #waiting / 2
  for i = 1, math.min(#waiting, ARGV[1] * 2), 2 do
    local token = string.match(waiting[i], '^%S+ (%S+) ')
    if token then
      seen[#seen + 1] = token
      seen[#seen + 1] = waiting[i + 1]
    end
  end
end
return seen
