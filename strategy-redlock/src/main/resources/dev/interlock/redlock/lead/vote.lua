-- Ends the script where this node must not vote for this client: KEYS[2] is the birth record, ARGV[3] the state of it
-- that the client knows, or '' if it trusts servers to forget nothing. Returns {-2} if the record is not as the client
-- knows it, or {-3} if the client trusts and others do not.
if redis.call('HGET', KEYS[2], 'id') ~= ARGV[3] then
  if ARGV[3] ~= '' then
    return {-2}
  elseif redis.call('EXISTS', KEYS[2]) == 1 then
    return {-3}
  end
end

