-- Gives one lock back. "records" has the signals of which nobody knows whether they have arrived: that of a waiter
-- which releases has.
local function release(lock, fence, list, records, word, channel, before, behind)
  local holder = redis.pcall('GET', lock)
  if type(holder) == 'table' and string.sub(holder.err, 1, 9) ~= 'WRONGTYPE' then
    return 0, 0, holder
  end
  if records ~= list and (holder == word or holder == word .. MARK) then
    redis.call('ZREM', records, before .. string.sub(word, #MAGIC + 1) .. behind)
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

