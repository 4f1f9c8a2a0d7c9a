-- Those who wait for a condition are in a sorted set by their arrival, each as it will stand among those who wait for
-- the lock, except that "@" and the condition follow the number. A signal moves the first of them to those who wait for
-- the lock, and leaves a record of it until the waiter has released the lock. A waiter that holds the lock by another
-- claim has that one adopt the record.

-- Moves the first who waits for a condition and is there, so that it is after all who wait for the lock, and the n-th
-- of those who are moved in one go. Returns whether there was one.
local function move_next(waiting, list, records, life, n)
  local waiter = first_there(waiting)
  if not waiter and not dropped_enough() then
    -- There is one only if the user may not ask who is there.
    waiter = head(waiting)
  end
  if not waiter then
    return false
  end
  -- The time is the same throughout a script, and a number of this size has quarters.
  local place = string.format('%.2f', micros() + n * 0.25)
  redis.call('ZADD', records, place, waiter)
  redis.call('ZADD', list, place, waiter)
  redis.call('ZREM', waiting, waiter)
  redis.call('PEXPIRE', records, life)
  redis.call('PEXPIRE', list, life)
  return true
end

-- Has the holder release by the script that looks at those who wait.
local function mark(lock)
  if MARK == '' then
    return
  end
  local holder = redis.pcall('GET', lock)
  if type(holder) == 'string' and string.sub(holder, 1, #MAGIC) == MAGIC and string.sub(holder, -#MARK) ~= MARK then
    redis.call('APPEND', lock, MARK)
  end
end

-- Whether a waiter that was signalled can still act on it: it waits for the lock, or holds it.
local function is_pending(waiter, lock, list)
  if redis.call('ZSCORE', list, waiter) then
    return true
  end
  local word = MAGIC .. parts(waiter)
  local holder = redis.pcall('GET', lock)
  return holder == word or holder == word .. MARK
end

-- Passes a signal on that was for a waiter which will not act on it.
local function pass_on(waiter, lock, waiting, list, records, life)
  redis.call('ZREM', list, waiter)
  if not redis.call('ZSCORE', records, waiter) then
    return
  end
  if move_next(waiting, list, records, life, 0) then
    mark(lock)
  elseif dropped_enough() then
    -- The record stays, so that the next look goes on behind those who were dropped.
    return
  end
  redis.call('ZREM', records, waiter)
end

