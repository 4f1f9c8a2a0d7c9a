#!lua flags=allow-oom
-- Writes the second argument, or deletes the key if that is empty, if the key holds the first. Returns what the key
-- held.
local held = redis.call('GET', KEYS[1])
if held == ARGV[1] then
  if ARGV[2] == '' then
    redis.call('DEL', KEYS[1])
  else
    redis.call('SET', KEYS[1], ARGV[2])
  end
end
return held
