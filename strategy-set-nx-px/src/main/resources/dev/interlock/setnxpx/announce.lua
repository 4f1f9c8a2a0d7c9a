-- Tells programs of other makers that a lock is free. ANNOUNCE is the channel, in parts between which the key belongs.
-- The lock is free even if the user may not use the channel.
local function announce(lock)
  redis.pcall('PUBLISH', table.concat(ANNOUNCE, lock), lock)
end

