-- KEYS: the lock.
-- Returns {1 if somebody reads or 0, 1 if somebody writes or 0}.
local mode = redis.call('HGET', KEYS[1], 'mode')
if mode ~= 'write' then
  return {mode and 1 or 0, 0}
end
-- Besides the mode and the writer, its own reading.
return {redis.call('HLEN', KEYS[1]) > 2 and 1 or 0, 1}
