-- KEYS: the lock, its token.
-- ARGV: field of the asker, lease in ms, 1 if a fencing token is wanted or 0, life of the token in ms or 0 for ever.
-- Returns {1, fencing token} or {0, ms until the lock is free if nobody extends it}. Nothing is written before all is
-- read and understood.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 and redis.call('EXISTS', KEYS[1]) == 1 then
  return {0, redis.call('PTTL', KEYS[1])}
end
local token = 0
if ARGV[3] == '1' then
  token = last_token(KEYS[2])
  if not token then
    return redis.error_reply(NO_NUMBER)
  end
  token = draw(KEYS[2], token, ARGV[4])
end
redis.call('HSET', KEYS[1], 'mode', 'write', ARGV[1], 1)
extend(KEYS[1], tonumber(ARGV[2]))
return {1, token}
