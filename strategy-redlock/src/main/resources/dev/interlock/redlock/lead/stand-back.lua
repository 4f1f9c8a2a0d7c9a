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
redis.call('DEL', lock, record)
enter(list, ARGV[2], ARGV[3], ARGV[4], ARGV[5])
-- The majority would refuse the next who waits too, unless its token was released meanwhile.
if kept and kept.deadline ~= 0 then
  grant_head(lock, KEYS[4], list, record, ARGV[6], '-')
end
return 1
