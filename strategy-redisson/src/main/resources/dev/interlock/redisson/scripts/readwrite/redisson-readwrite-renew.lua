-- KEYS: for each claim the lock and, of a reader, the hold; of a writer the lock again.
-- ARGV: for each claim its field and the lease in ms.
-- Returns for each 1 if the side was held and has its lease anew or a longer one, 0 if it is gone, -1 if something else
-- is there.
local answers = {}
for i = 1, #KEYS / 2 do
  local lock, hold, lease = KEYS[2 * i - 1], KEYS[2 * i], tonumber(ARGV[2 * i])
  local held = redis.pcall('HEXISTS', lock, ARGV[2 * i - 1])
  if type(held) == 'table' then
    if string.sub(held.err, 1, 9) ~= 'WRONGTYPE' then
      return held
    end
    answers[i] = -1
  elseif held == 0 then
    answers[i] = -redis.call('EXISTS', lock)
  elseif redis.call('EXISTS', hold) == 0 then
    -- A reader that is still there because others read, but whose lease is over.
    answers[i] = 0
  else
    extend(hold, lease)
    extend(lock, lease)
    answers[i] = 1
  end
end
return answers
