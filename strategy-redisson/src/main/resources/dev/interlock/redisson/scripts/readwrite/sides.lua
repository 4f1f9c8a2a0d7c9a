-- A lock is a hash: its mode, read or write, and a field with a count for each reader and the writer. Its time to live
-- is that of the longest hold. Each hold of a reader has a key that lives as long; one of a writer has none.

-- Lets a key live for a lease at least. Writes even what it does not change, for a WAIT that follows.
local function extend(key, lease)
  redis.call('PEXPIRE', key, math.max(redis.call('PTTL', key), lease))
end
