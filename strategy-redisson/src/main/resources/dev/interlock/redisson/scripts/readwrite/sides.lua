-- A lock is a hash: its mode, read or write, and a field with a count for each reader and the writer. Its time to live
-- is that of the longest hold. Each hold of a reader has a key that lives as long; one of a writer has none.

local function extend(key, lease)
  if redis.call('PTTL', key) < lease then
    redis.call('PEXPIRE', key, lease)
  end
end
