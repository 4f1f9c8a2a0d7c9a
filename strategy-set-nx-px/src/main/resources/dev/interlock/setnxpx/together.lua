-- Takes several locks that nobody holds and nobody waits for: all of them, or none.
-- KEYS: for each lock the lock, its fence, those who wait.
-- ARGV: life of the fences in ms; for each lock its word, lease in ms, fencing tokens to reserve or 0 to draw none.
-- Returns 1 and for each lock its first fencing token or 0; or -1 if somebody else holds one of them; or -2 if nobody
-- does, and somebody waits for one of them.
local answers = {1}
for i = 1, #KEYS, 3 do
  local holder, word = redis.call('GET', KEYS[i]), ARGV[i + 1]
  if holder and holder ~= word and holder ~= word .. MARK then
    return {-1}
  end
  if redis.call('EXISTS', KEYS[i + 2]) == 1 then
    answers = {-2}
  end
end
if answers[1] ~= 1 then
  return answers
end
local now = micros()
for i = 1, #KEYS, 3 do
  local first, failure = 0, nil
  if ARGV[i + 3] ~= '0' then
    first, failure = draw(KEYS[i + 1], ARGV[i + 3], ARGV[1], now)
    if not first then
      return failure
    end
  end
  answers[#answers + 1] = first
end
for i = 1, #KEYS, 3 do
  local word, lease = ARGV[i + 1], ARGV[i + 2]
  local kept
  if redis.call('EXISTS', KEYS[i]) == 1 then
    kept = redis.pcall('PEXPIRE', KEYS[i], lease)
  else
    kept = redis.pcall('SET', KEYS[i], word, 'PX', lease)
  end
  if type(kept) == 'table' and kept.err then
    for taken = 1, i - 1, 3 do
      redis.call('DEL', KEYS[taken])
    end
    return kept
  end
end
return answers
