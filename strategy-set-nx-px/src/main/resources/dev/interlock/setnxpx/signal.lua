-- Signals those who wait for a condition.
-- KEYS: the lock, those who wait for it, those who wait for the condition, its records.
-- ARGV: lock word, how many to signal at most, life of those who wait in ms.
-- Returns 0 if the lock is gone, -1 if something else is there; otherwise 1, or 2 if the script has to be sent again
-- because more may be there than the server should be kept busy with.
local holder = redis.pcall('GET', KEYS[1])
if type(holder) == 'table' and string.sub(holder.err, 1, 9) ~= 'WRONGTYPE' then
  return holder
end
if holder ~= ARGV[1] and holder ~= ARGV[1] .. MARK then
  return holder and -1 or 0
end
local moved = 0
while moved < tonumber(ARGV[2]) and moved < 100 and move_next(KEYS[3], KEYS[2], KEYS[4], ARGV[3], moved) do
  moved = moved + 1
end
if moved > 0 then
  mark(KEYS[1])
end
if (moved == 100 or dropped_enough()) and moved < tonumber(ARGV[2]) then
  return 2
end
return 1
