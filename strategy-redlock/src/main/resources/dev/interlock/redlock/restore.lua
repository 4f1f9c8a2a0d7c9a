-- KEYS: the birth record of this node, and locks.
-- ARGV: state of the record that the client knows, and for each lock the owner token of its holder and the lease in ms.
-- Returns how many locks have been set, all of which were free here; or {-2} if the record is not as the client knows
-- it.
if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then
  return {-2}
end
local restored = 0
for i = 2, #KEYS do
  if redis.call('SET', KEYS[i], ARGV[2 * i - 2], 'NX', 'PX', ARGV[2 * i - 1]) then
    restored = restored + 1
  end
end
return restored
