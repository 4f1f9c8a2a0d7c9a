-- KEYS: for each lock the lock, its fence, those who wait, the record of the lead.
-- ARGV: life of the fence in ms, and for each lock the owner token.
-- Returns for each lock two numbers. 1 if it was held by this token and is not any more, 0 if it is gone, -1 if
-- something else is there. And 1 if it was granted to one who waits here, otherwise 0.

local answers = {}

-- Mostly the token holds the lock, and nobody waits: then this is all.
local at = 1
while redis.pcall('GET', KEYS[at]) == ARGV[(at + 7) / 4] and redis.call('EXISTS', KEYS[at + 2]) == 0 do
  redis.call('DEL', KEYS[at], KEYS[at + 3])
  answers[#answers + 1] = 1
  answers[#answers + 1] = 0
  at = at + 4
  if at > #KEYS then
    return answers
  end
end

