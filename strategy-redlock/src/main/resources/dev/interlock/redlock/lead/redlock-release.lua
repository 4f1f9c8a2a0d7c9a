-- Goes on where free-release.lua has stopped, which says what KEYS, ARGV and the answers are: with the nth lock, which
-- others wait for, or which the token does not hold.

-- Notes beside a root that was not passed on yet that another token was released: the other servers may refuse the root
-- because of that token, and nobody will tell of its release again.
local function note(record, root)
  local kept = recorded(record, root)
  if kept and kept.hop == 0 then
    redis.pcall('SET', record, text_of(root, 0, '-', 1, kept.first, kept.last, kept.predecessor), 'KEEPTTL')
  end
end

local function release(lock, fence, list, record, token)
  local holder = redis.pcall('GET', lock)
  if not holder then
    -- The one who releases held the lock by the other servers alone, and those who wait here were refused because of
    -- it. It is not named as predecessor: if its keys were replaced before its release comes there, that would look
    -- like a loss.
    return 0, grant_head(lock, fence, list, record, ARGV[1], '-') and 1 or 0
  end
  if type(holder) == 'table' and string.sub(holder.err, 1, 9) ~= 'WRONGTYPE' then
    return 0, 0, holder
  end
  if holder ~= token then
    note(record, holder)
    return -1, 0
  end
  if grant_head(lock, fence, list, record, ARGV[1], token) then
    return 1, 1
  end
  redis.call('DEL', lock, record)
  return 1, 0
end

local refused
for i = 4 * n - 3, #KEYS, 4 do
  local state, granted, failure = release(KEYS[i], KEYS[i + 1], KEYS[i + 2], KEYS[i + 3], ARGV[(i + 3) / 4 + 1])
  answers[#answers + 1] = state
  answers[#answers + 1] = granted
  refused = refused or failure
end
return refused or answers
