-- Passes a root on to the first of those who wait.
-- KEYS: the lock, those who wait, the record of the lead.
-- ARGV: root, hop at which its owner is, deadline in µs of this server's clock, first fencing token that is left, the
-- least that this server's clock shows unless it was set back.
-- Returns 1 if it was passed on, by this request or by an earlier copy of it; 0 if not, and then nothing was changed.
local holder = redis.call('GET', KEYS[1])
local kept = holder == ARGV[1] and recorded(KEYS[3], holder)
if not kept then
  return 0
end
local hop, deadline = tonumber(ARGV[2]), tonumber(ARGV[3])
if kept.hop > hop then
  return 1
end
if
  kept.hop == hop
  and is_before(deadline, ARGV[5])
  and hop_on(KEYS[1], KEYS[2], KEYS[3], ARGV[1], hop + 1, deadline, tonumber(ARGV[4]), kept.last)
then
  return 1
end
return 0
