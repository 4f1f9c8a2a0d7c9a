-- Takes back what this server granted to a claim that a majority refuses, and enters the claim again: the next release
-- tells it.
-- KEYS: the lock, those who wait, the record of the lead, and the fence if fencing tokens are wanted.
-- ARGV: token that was granted the lock, new entry of the claim, channel of the client, when the place was taken first
-- in µs or 0, life of the list in ms, life of the fence in ms.
-- Returns 1, or 0 if nothing was changed.
local lock, list, record = KEYS[1], KEYS[2], KEYS[3]
-- A second copy of this request must enter nothing: the claim may have been granted the lock meanwhile.
if redis.call('GET', lock) ~= ARGV[1] then
  return 0
end
local kept = recorded(record, ARGV[1])
local since = ARGV[4]
if since == '0' then
  -- The lock was granted in reply to its first question, since nobody was before it. Whoever waits now came later.
  local first = redis.call('ZRANGE', list, '0', '0', 'WITHSCORES')
  since = first[2] and string.format('%.0f', first[2] - 1) or since
end
-- First what needs memory: if there is none, nothing is changed, and the request is sent again.
enter(list, ARGV[2], ARGV[3], since, ARGV[5])
redis.call('DEL', lock, record)
-- Whoever waits first would be refused by the majority too; but if the holder whom they wait for has released the lock
-- meanwhile, nobody else would tell them.
if kept and kept.deadline ~= 0 then
  grant_head(lock, KEYS[4], list, record, ARGV[6], '-')
end
return 1
