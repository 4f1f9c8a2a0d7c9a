-- KEYS: locks.  ARGV: for each of them its word and the lease in ms.
-- Returns for each 1 if the lock was held under its word and has its lease anew or a longer one, 0 if it is gone, -1 if
-- something else is there.
local answers = {}
for i, key in ipairs(KEYS) do
  local holder = redis.pcall('GET', key)
  local word = ARGV[2 * i - 1]
  if not holder then
    answers[i] = 0
  elseif holder == word or holder == word .. MARK then
    if redis.call('PEXPIRE', key, ARGV[2 * i], 'GT') == 0 then
      -- It may be longer by a renewal that no replica has. A WAIT that follows waits for what its connection wrote.
      local left = redis.call('PTTL', key)
      if left > 0 then
        redis.call('PEXPIRE', key, left)
      end
    end
    answers[i] = 1
  elseif type(holder) == 'table' and string.sub(holder.err, 1, 9) ~= 'WRONGTYPE' then
    return holder
  else
    answers[i] = -1
  end
end
return answers
