-- KEYS: for each lock the lock, its fence, those who wait, and the records of the condition whose signal has arrived
-- with the claim, or those who wait once more if there is none.
-- ARGV: life of the fence in ms; for each lock its word, its channel or '' not to use it, and of the claim's place
-- among those who wait what stands before the token and what stands behind it, or '' twice if there is none.
-- Returns for each lock two numbers. 1 if it was held under this word and is not any more, 0 if it is gone, -1 if
-- something else is there. And for one that was held 0 if nobody waits for it, how many listen to its channel if nobody
-- else waits, otherwise -1.

local answers = {}
local refused
for i = 1, #KEYS, 4 do
  local arg = i + 1
  local state, counted, failure =
    release(KEYS[i], KEYS[i + 1], KEYS[i + 2], KEYS[i + 3], ARGV[arg], ARGV[arg + 1], ARGV[arg + 2], ARGV[arg + 3])
  answers[#answers + 1] = state
  answers[#answers + 1] = counted
  refused = refused or failure
end
return refused or answers
