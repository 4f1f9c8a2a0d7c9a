-- Takes a claim out of those who wait; what was granted to it meanwhile goes on to the next.
-- KEYS: the lock, those who wait, the record of the lead, and the fence if fencing tokens are wanted.
-- ARGV: token of the claim, its entry among those who wait, life of the fence in ms, most hops, the least that this
-- server's clock shows unless it was set back.
-- Returns {0}, or {1, root} if the claim was passed a root that nobody else waits for.
local lock, list, record = KEYS[1], KEYS[2], KEYS[3]
redis.call('ZREM', list, ARGV[2])
local holder = redis.call('GET', lock)
if holder == ARGV[1] then
  if not grant_head(lock, KEYS[4], list, record, ARGV[3], ARGV[1]) then
    redis.call('DEL', lock, record)
  end
  return {0}
end
local kept = recorded(record, holder)
if not kept or kept.claim ~= ARGV[1] then
  return {0}
end
if
  kept.hop < tonumber(ARGV[4])
  and is_before(kept.deadline, ARGV[5])
  and hop_on(lock, list, record, holder, kept.hop + 1, kept.deadline, kept.first + 1, kept.last)
then
  return {0}
end
return {1, holder}
