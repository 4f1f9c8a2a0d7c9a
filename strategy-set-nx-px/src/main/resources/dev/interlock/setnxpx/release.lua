-- KEYS: for each lock the lock, its fence, those who wait.
-- ARGV: life of the fence in ms; for each lock owner token, channel of the lock or '' not to use it, the place among those who wait or ''
-- if there is none.
-- Returns for each lock two numbers. 1 if it was held by this token and is not any more, 0 if it is gone, -1 if something else is there.
-- And for one that was held, how many listen to its channel; -1 if others wait for it, or if that is not known.

-- Whether the list is empty, as far as the user may know.
local function nobody_waits(list)
  local first = redis.pcall('ZRANGE', list, '0', '0')
  return not first.err and #first == 0
end

local function release(lock, fence, list, token, channel, place)
  local holder = redis.pcall('GET', lock)
  if type(holder) == 'table' and string.sub(holder.err, 1, 9) ~= 'WRONGTYPE' then
    return 0, 0, holder
  end
  if holder ~= token then
    if place ~= '' then
      redis.call('ZREM', list, place)
    end
    return holder and -1 or 0, 0
  end
  -- Only a hint: the lock is free even if the user may not use the channel.
  local heard = channel ~= '' and redis.pcall(PUBLISH, channel, '')
  if type(heard) == 'number' and heard > 0 then
    heard = listeners(channel)
  end
  local counted = type(heard) == 'number' and nobody_waits(list) and heard or -1
  if type(heard) == 'number' and heard > 0 then
    -- Whoever listens has no place among those who wait, so all of them try.
    redis.call('DEL', lock)
    local waiter = first_there(list)
    if waiter then
      tell(waiter, lock, 0, 0)
    end
  elseif not hand_over(lock, fence, list, ARGV[1], '') then
    redis.call('DEL', lock)
  end
  return 1, counted
end

local answers = {}
local refused
for i = 1, #KEYS, 3 do
  local state, counted, failure = release(KEYS[i], KEYS[i + 1], KEYS[i + 2], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3])
  answers[#answers + 1] = state
  answers[#answers + 1] = counted
  refused = refused or failure
end
return refused or answers
