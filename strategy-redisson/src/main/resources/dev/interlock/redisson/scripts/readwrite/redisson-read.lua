-- KEYS: the lock, its token, the hold of the asker.
-- ARGV: field of the asker, lease in ms, 1 if a fencing token is wanted or 0, life of the token in ms or 0 for ever,
-- the field by which the asker's thread writes or ''.
-- Returns {1, fencing token of the last writer} or {0, ms until the lock is free if nobody extends it}. Nothing is
-- written before all is read and understood.
local mode = redis.call('HGET', KEYS[1], 'mode')
local may
if mode == 'write' then
  may = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 or redis.call('HEXISTS', KEYS[1], ARGV[5]) == 1
else
  -- Without a mode it is a lock of the same name.
  may = mode or redis.call('EXISTS', KEYS[1]) == 0
end
if not may then
  return {0, redis.call('PTTL', KEYS[1])}
end
local token = 0
if ARGV[3] == '1' then
  token = last_token(KEYS[2])
  if not token then
    return redis.error_reply(NO_NUMBER)
  elseif token == 0 then
    token = draw(KEYS[2], 0, ARGV[4])
  elseif ARGV[4] ~= '0' and redis.call('PTTL', KEYS[2]) ~= -1 then
    redis.call('PEXPIRE', KEYS[2], ARGV[4])
  end
end
redis.call('HSET', KEYS[1], 'mode', mode or 'read', ARGV[1], 1)
redis.call('SET', KEYS[3], 1, 'PX', ARGV[2])
extend(KEYS[1], tonumber(ARGV[2]))
return {1, token}
