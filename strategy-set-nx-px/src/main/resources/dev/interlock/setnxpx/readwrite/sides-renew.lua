-- KEYS: for each claim the word of the writer or those who read.
-- ARGV: for each of them r or w, the owner token and the lease in ms.
-- Returns for each 1 if the side was held under its token and has its lease anew or a longer one, 0 if it is gone, -1
-- if something else is there.
local now = math.floor(micros() / 1000)
local answers = {}
for i, key in ipairs(KEYS) do
  local side, token, lease = ARGV[3 * i - 2], ARGV[3 * i - 1], ARGV[3 * i]
  local held, written
  if side == 'w' then
    held = redis.pcall('GET', key)
  else
    held = redis.pcall('ZSCORE', key, token)
  end
  if type(held) == 'table' and string.sub(held.err, 1, 9) ~= 'WRONGTYPE' then
    return held
  elseif type(held) == 'table' or (side == 'w' and held and held ~= MAGIC .. token) then
    answers[i] = -1
  elseif not held or (side == 'r' and tonumber(held) <= now) then
    answers[i] = 0
  elseif side == 'w' then
    written = redis.call('PEXPIRE', key, lease, 'GT')
    answers[i] = 1
  else
    written = redis.call('ZADD', key, 'XX', 'GT', 'CH', now + lease, token)
    if redis.call('PTTL', key) < lease + 1000 then
      redis.call('PEXPIRE', key, lease + 1000)
    end
    answers[i] = 1
  end
  if written == 0 then
    -- It may be longer by a renewal that no replica has. A WAIT that follows waits for what its connection wrote.
    local left = redis.call('PTTL', key)
    if left > 0 then
      redis.call('PEXPIRE', key, left)
    end
  end
end
return answers
