-- KEYS: the word of the writer, those who read.
-- Returns 1 or 0 for a writer, and how many read.
local now = math.floor(micros() / 1000)
return {redis.call('EXISTS', KEYS[1]), redis.call('ZCOUNT', KEYS[2], '(' .. now, '(+inf')}
