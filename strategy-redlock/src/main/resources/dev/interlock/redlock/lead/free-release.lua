-- KEYS: for each lock the lock, its fence, those who wait, the record of the lead.
-- ARGV: life of the fence in ms, and for each lock the owner token.
-- Returns for each lock two numbers. 1 if it was held by this token and is not any more, 0 if it is gone, -1 if
-- something else is there. And 1 if it was granted to one who waits here, otherwise 0.

local answers = {}

-- Mostly the token holds the lock, and nobody waits: then this is all. For one lock after the other, as far as that
-- goes; the rest of the script goes on with the nth.
local n = 1
while redis.pcall('GET', KEYS[4 * n - 3]) == ARGV[n + 1] and redis.call('EXISTS', KEYS[4 * n - 1]) == 0 do
  redis.call('DEL', KEYS[4 * n - 3], KEYS[4 * n])
  answers[#answers + 1] = 1
  answers[#answers + 1] = 0
  n = n + 1
  if 4 * n > #KEYS then
    return answers
  end
end

