-- Nobody holds the lock, but others wait for it here.
if grant_head(KEYS[1], KEYS[5], KEYS[3], KEYS[4], ARGV[6], '-') or redis.call('EXISTS', KEYS[3]) == 1 then
  return refuse()
end
return take()
