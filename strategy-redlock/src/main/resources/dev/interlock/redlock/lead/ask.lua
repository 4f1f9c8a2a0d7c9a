-- Asks what has become of a claim that waits, and enters it among those who wait.
-- KEYS: the lock, the birth record of this node, those who wait, the record of the lead, and the fence if fencing
-- tokens are wanted.
-- ARGV: token of the claim, lease of a grant in ms, state of the birth record, fencing tokens to reserve, life of the
-- fence in ms; number of the claim, channel of the client, life of the list in ms, when the place was taken first in µs
-- or 0, lease of a grant to the asker in ms.
-- Returns {1, time, ms until the key expires, first and last fencing token, predecessor or '-'} if the lead has granted
-- the lock; {2, time, hop, deadline, first fencing token, root} if the root was passed on to the claim; or {0, time, ms
-- until the key expires, when the place was taken first or 0 if the claim has none because this server would not reach
-- the client}. Times are this server's, in µs.
local list, record = KEYS[3], KEYS[4]
local place = ARGV[6] .. ' ' .. ARGV[1] .. ' ' .. ARGV[2] .. ' ' .. ARGV[4] .. ' ' .. ARGV[7]
local now = micros()
local holder = redis.call('GET', KEYS[1])
local kept = recorded(record, holder)
if holder ~= ARGV[1] then
  if kept and kept.claim == ARGV[1] then
    return {2, now, kept.hop, kept.deadline, kept.first, holder}
  end
  local since = enter(list, place, ARGV[7], ARGV[9], ARGV[8])
  local granted, failure
  if not holder then
    granted, failure = grant_head(KEYS[1], KEYS[5], list, record, ARGV[5], '-', place, ARGV[10])
  end
  if failure then
    return failure
  end
  if granted ~= ARGV[1] then
    return {0, now, redis.call('PTTL', KEYS[1]), since}
  end
  kept = recorded(record, ARGV[1])
end
if not kept then
  return {0, now, redis.call('PTTL', KEYS[1]), 0}
end
return {1, now, redis.call('PTTL', KEYS[1]), kept.first, kept.last, kept.predecessor}
