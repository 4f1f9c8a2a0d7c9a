-- KEYS: the lock.  ARGV: lock word.
-- Returns 1 if the lock was held under this word, without a mark, and is free now, otherwise 0; and the command that does the same, if
-- the server has one and the user may use it, otherwise ''.
local command = ''
if select(2, pcall(redis.acl_check_cmd, 'DELEX', KEYS[1], 'IFEQ', ARGV[1])) == true then
  command = 'DELEX'
elseif select(2, pcall(redis.acl_check_cmd, 'DELIFEQ', KEYS[1], ARGV[1])) == true then
  command = 'DELIFEQ'
end
local freed = 0
if redis.call('GET', KEYS[1]) == ARGV[1] then
  freed = redis.call('DEL', KEYS[1])
end
return {freed, command}
