-- KEYS: for each lock the lock, its fence, those who wait.
-- ARGV: life of the fence in ms; for each lock its word, its channel or '' not to use it, and of the claim's place among those who wait
-- what stands before the token and what stands behind it, or '' twice if there is none.
-- Returns for each lock two numbers. 1 if it was held under this word and is not any more, 0 if it is gone, -1 if something else is
-- there. And for one that was held 0 if nobody waits for it, how many listen to its channel if nobody else waits, otherwise -1.

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

local function release(lock, fence, list, word, channel, before, behind)
  local holder = redis.pcall('GET', lock)
  if type(holder) == 'table' and string.sub(holder.err, 1, 9) ~= 'WRONGTYPE' then
    return 0, 0, holder
  end
  if holder == word and nobody_waits(list) then
    free(lock, fence)
    return 1, 0
  end
  if holder ~= word and holder ~= word .. MARK then
    if behind ~= '' then
      redis.call('ZREM', list, before .. string.sub(word, #MAGIC + 1) .. behind)
    end
    limit(fence)
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
    free(lock, fence)
    local waiter = first_there(list)
    if waiter then
      local token, _, _, its_channel = parts(waiter)
      tell(token, its_channel, lock, 0, 0)
    end
  elseif not hand_over(lock, fence, list, ARGV[1]) then
    free(lock, fence)
  end
  return 1, counted
end

local answers = {}
local refused
for i = 1, #KEYS, 3 do
  local arg = (i - 1) / 3 * 4 + 2
  local state, counted, failure =
    release(KEYS[i], KEYS[i + 1], KEYS[i + 2], ARGV[arg], ARGV[arg + 1], ARGV[arg + 2], ARGV[arg + 3])
  answers[#answers + 1] = state
  answers[#answers + 1] = counted
  refused = refused or failure
end
return refused or answers
