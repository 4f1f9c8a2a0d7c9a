-- KEYS: the birth record of this node, and for each lock the lock and the record of the lead.
-- ARGV: state of the record that the client knows, or '' if it trusts, and for each lock owner token and lease in ms.
-- Returns for each lock 1 if it was held by its token and has its lease anew or a longer one, 0 if it is gone, -1 if
-- something else is there, and behind them this server's time in µs; or {-2} if the record is not as the client knows
-- it.
if ARGV[1] ~= '' and redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then
  return {-2}
end
local answers = {}
for i = 1, (#KEYS - 1) / 2 do
  local key = KEYS[2 * i]
  local holder = redis.pcall('GET', key)
  if not holder then
    answers[i] = 0
  elseif holder == ARGV[2 * i] then
    redis.call('PEXPIRE', key, ARGV[2 * i + 1], 'GT')
    redis.call('PEXPIRE', KEYS[2 * i + 1], ARGV[2 * i + 1], 'GT')
    answers[i] = 1
  elseif type(holder) == 'table' and string.sub(holder.err, 1, 9) ~= 'WRONGTYPE' then
    return holder
  else
    answers[i] = -1
  end
end
local time = redis.call('TIME')
answers[#answers + 1] = time[1] * 1000000 + time[2]
return answers
