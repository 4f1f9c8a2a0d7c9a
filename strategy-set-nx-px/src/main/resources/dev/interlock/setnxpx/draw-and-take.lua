local first, failure = draw(KEYS[2], ARGV[3], ARGV[4], micros())
if not first then
  return failure
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return first
