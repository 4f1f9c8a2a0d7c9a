-- Passes a root on to the first of those who wait.
-- KEYS: the lock, those who wait, the record of the lead.
-- ARGV: root, hop at which its owner is, deadline in µs of this server's clock, first fencing token that is left.
-- Returns 1 if it was passed on; 0 if not, and then nothing was changed.
local kept = recorded(KEYS[3], redis.call('GET', KEYS[1]))
if
  kept
  and redis.call('GET', KEYS[1]) == ARGV[1]
  and kept.hop == tonumber(ARGV[2])
  and micros() < tonumber(ARGV[3])
  and hop_on(KEYS[1], KEYS[2], KEYS[3], ARGV[1], kept.hop + 1, tonumber(ARGV[3]), tonumber(ARGV[4]), kept.last)
then
  return 1
end
return 0
