-- Tells one who waits that the lock was granted. Returns false where that is not allowed.
local function tell(token, channel, lock, first, since)
  return send(token, channel, string.format('%.0f %.0f %s', first, since, lock))
end

-- Grants a lock that nobody holds to the first of those who wait before an asker and are there. Returns the word that
-- the lock holds then, or nil; and whether the asker's turn has come. Without a word, the lock may be taken for nobody.
local function hand_over(lock, fence, list, life, asker)
  local waiter, another = first_there(list, asker)
  if not waiter or waiter == asker then
    return nil, waiter == asker
  end
  local token, lease, fences, channel = parts(waiter)
  -- The time is read before the lease of the grant begins.
  local now, first = micros(), 0
  if fences ~= '0' then
    first = draw(fence, fences, life, now)
  end
  local word = MAGIC .. token
  if another then
    word = word .. MARK
  end
  -- Written before it is told, since the server may have no room for it.
  if not first or redis.pcall('SET', lock, word, 'PX', lease).err then
    return nil
  end
  if not tell(token, channel, lock, first, now) then
    return nil
  end
  redis.call('ZREM', list, waiter)
  return word
end

