-- KEYS: locks.  ARGV: for each of them owner and lease in ms.
-- Returns for each 1 if the lock was held by its owner and has its lease anew or a longer one, 0 if it is gone, -1 if
-- something else is there.
local answers = {}
for i, key in ipairs(KEYS) do
  local held = redis.pcall('HEXISTS', key, ARGV[2 * i - 1])
  if held == 1 then
    if redis.call('PEXPIRE', key, ARGV[2 * i], 'GT') == 0 then
      -- It may be longer by a renewal that no replica has. A WAIT that follows waits for what its connection wrote.
      local left = redis.call('PTTL', key)
      if left > 0 then
        redis.call('PEXPIRE', key, left)
      end
    end
    answers[i] = 1
  elseif type(held) ~= 'table' then
    answers[i] = -redis.call('EXISTS', key)
  elseif string.sub(held.err, 1, 9) == 'WRONGTYPE' then
    answers[i] = -1
  else
    return held
  end
end
return answers
