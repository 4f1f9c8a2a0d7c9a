-- KEYS: for each lock the lock, its fence, those who wait, the record of the lead.
-- ARGV: life of the fence in ms, and for each lock the owner token.
-- Returns for each lock two numbers. 1 if it was held by this token and is not any more, 0 if it is gone, -1 if
-- something else is there. And 1 if it was granted to one who waits here, otherwise 0.

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
  if redis.call('EXISTS', list) == 1 and grant_head(lock, fence, list, record, ARGV[1], token) then
    return 1, 1
  end
  redis.call('DEL', lock, record)
  return 1, 0
end

local answers = {}
local refused
for i = 1, #KEYS, 4 do
  local state, granted, failure = release(KEYS[i], KEYS[i + 1], KEYS[i + 2], KEYS[i + 3], ARGV[(i - 1) / 4 + 2])
  answers[#answers + 1] = state
  answers[#answers + 1] = granted
  refused = refused or failure
end
return refused or answers
