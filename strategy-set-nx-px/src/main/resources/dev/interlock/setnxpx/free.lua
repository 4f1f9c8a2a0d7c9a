-- KEYS: the lock.  ARGV: lock word, and anything if the server's own command for this is to be looked for.
-- Returns 1 if the lock was held under this word, without a mark, and is free now, otherwise 0; where it was to look,
-- with the name of the command, or '' if the server has none that the user may use.
local freed = 0
if redis.call('GET', KEYS[1]) == ARGV[1] then
  freed = redis.call('DEL', KEYS[1])
end
if not ARGV[2] then
  return freed
end
local command = ''
if select(2, pcall(redis.acl_check_cmd, 'DELEX', KEYS[1], 'IFEQ', ARGV[1])) == true then
  command = 'DELEX'
elseif select(2, pcall(redis.acl_check_cmd, 'DELIFEQ', KEYS[1], ARGV[1])) == true then
  command = 'DELIFEQ'
end
return {freed, command}
