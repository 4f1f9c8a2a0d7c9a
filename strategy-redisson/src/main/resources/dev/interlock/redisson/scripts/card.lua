-- KEYS: the card of a factory.  ARGV: what it says, for how many ms it is kept.
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {1}
