-- Whether the list is empty, as far as the user may know.
local function nobody_waits(list)
  local first = redis.pcall('ZRANGE', list, '0', '0')
  return not first.err and #first == 0
end

-- A counter that INCRBY has made anew has no end, of which nobody knows whose request was not answered.
local function limit(fence)
  redis.pcall('PEXPIRE', fence, ARGV[1], 'NX')
end

local function free(lock, fence)
  redis.call('DEL', lock)
  limit(fence)
end

