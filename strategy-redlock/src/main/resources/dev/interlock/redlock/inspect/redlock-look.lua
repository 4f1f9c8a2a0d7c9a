-- KEYS: the lock, its fence, those who wait, the record of the lead, the birth record of this node.
-- ARGV: how many of those who wait are to be told at most.
-- Returns the token that holds the lock or '', ms until it is free or -1, the last fencing token or '', the record of
-- the lead or '', the index of this node or '', the list of nodes or '', how many wait, and of the first of them the
-- owner token and since when in µs, one after the other.
local function text(reply)
  return type(reply) == 'string' and reply or ''
end

local seen = {
  text(redis.pcall('GET', KEYS[1])),
  redis.call('PTTL', KEYS[1]),
  text(redis.pcall('GET', KEYS[2])),
  text(redis.pcall('GET', KEYS[4])),
  text(redis.pcall('HGET', KEYS[5], 'index')),
  text(redis.pcall('HGET', KEYS[5], 'config')),
  0,
}
local waiting = redis.pcall('ZRANGE', KEYS[3], '0', '-1', 'WITHSCORES')
if not waiting.err then
  seen[7] = #waiting / 2
  for i = 1, math.min(#waiting, ARGV[1] * 2), 2 do
    local token = string.match(waiting[i], '^%d+ (%S+) ')
    if token then
      seen[#seen + 1] = token
      seen[#seen + 1] = waiting[i + 1]
    end
  end
end
return seen
