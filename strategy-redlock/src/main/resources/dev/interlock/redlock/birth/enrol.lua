-- KEYS: the birth record.
-- ARGV: the run_id of this process as INFO has shown it on this connection; cluster; configuration of its nodes, as the
-- client knows it; index of this node in it; what the client knows of that configuration: 'look' if it has yet to find
-- out, 'pledge' if no node has another one, 'founded' if it is agreed; the longest lease of the client in ms; a name
-- for a birth; its epoch; the birth that the client has watched, or '', and for how many ms that is old at the least;
-- the indexes, one character each, of the other nodes that are known to know of this process. Then for each node that
-- the client knows: index, epoch, run_id.
-- Returns the record, after writing a new birth where this process may have forgotten leases. Or the record with the
-- field 'seen' if it was only looked at, since the node has another index than the client thinks, or belongs to a list
-- that the client does not know yet; and an empty list if the client only looks, and there is none.
local key = KEYS[1]
local run, cluster, config, index, knows, lease, nonce, epoch, watched, age, told = unpack(ARGV, 1, 11)

local function revision(of)
  return tonumber(string.match(of, '^%d+'))
end

-- Clients may reach the first nodes under different addresses.
local function nodes(of)
  return revision(of) == 0 and string.gsub(of, '=%S+', '') or of
end

local function read()
  local record = {}
  local flat = redis.call('HGETALL', key)
  for i = 1, #flat, 2 do
    record[flat[i]] = flat[i + 1]
  end
  return record
end

local function later(epoch, run, than_epoch, than_run)
  local a, b = tonumber(epoch), tonumber(than_epoch)
  return a > b or (a == b and run > than_run)
end

local record = read()
local known = record.run and record.birth and record.epoch and record.lease and record.age and record.told
  and record.config and record.founded
local ours = known and record.cluster == cluster
-- Of two configurations the later one counts, and of one revision the first; but what was agreed counts more than what
-- was not.
local news = not ours or revision(config) > revision(record.config) or (knows == 'founded' and record.founded == '0')
if knows == 'look' and not ours then
  return {}
elseif ours and (knows == 'look' or (not news and (record.index ~= index or nodes(config) ~= nodes(record.config)))) then
  local flat = redis.call('HGETALL', key)
  flat[#flat + 1] = 'seen'
  flat[#flat + 1] = '1'
  return flat
end
local placed = ours and record.index == index
local succeeded = false
for i = 12, #ARGV, 3 do
  if known and ARGV[i] == index and ARGV[i + 2] ~= record.run and later(ARGV[i + 1], ARGV[i + 2], record.epoch, record.run) then
    -- Another process has taken this node's place since: the record is of no use, even if it is this process's.
    succeeded = record.run == run
  end
end

local changed = false
if not placed or record.run ~= run or succeeded then
  local young = known and tonumber(record.age) < tonumber(record.lease)
  local disputed = (known and not ours) or succeeded or (young and record.disputed == '1')
  redis.call('DEL', key)
  redis.call('HSET', key, 'birth', nonce, 'run', run, 'cluster', cluster, 'config', config,
    'founded', knows == 'founded' and 1 or 0, 'index', index, 'version', 0,
    'lease', string.format('%.0f', math.max(tonumber(lease), tonumber(record.lease or 0))),
    'epoch', string.format('%.0f', math.max(tonumber(epoch), tonumber(record.epoch or 0) + 1)),
    'age', 0, 'told', '', 'disputed', disputed and 1 or 0, 'born', redis.call('TIME')[1])
  if placed then
    for name, value in pairs(record) do
      if string.sub(name, 1, 5) == 'peer:' then
        redis.call('HSET', key, name, value)
      end
    end
  end
  changed = true
else
  if news then
    redis.call('HSET', key, 'config', config, 'founded', knows == 'founded' and 1 or 0)
    changed = true
  end
  if tonumber(lease) > tonumber(record.lease) then
    redis.call('HSET', key, 'lease', lease)
    changed = true
  end
  if watched == record.birth then
    local peers = string.gsub(told, '%w', function(peer) return string.find(record.told, peer, 1, true) and '' or nil end)
    age = math.max(tonumber(age), tonumber(record.age))
    if peers ~= '' then
      redis.call('HSET', key, 'told', record.told .. peers)
      if age < tonumber(record.lease) then
        -- Until now a holder that goes on with the predecessor could not learn from that node that it has none of its
        -- votes any more.
        redis.call('HSET', key, 'birth', nonce)
        age = 0
        changed = true
      end
    end
    redis.call('HSET', key, 'age', string.format('%.0f', age))
  end
end

for i = 12, #ARGV, 3 do
  if ARGV[i] ~= index then
    local name = 'peer:' .. ARGV[i]
    local peer = redis.call('HGET', key, name)
    local peer_epoch, peer_run = string.match(peer or '', '^(%d+) (.+)$')
    if not peer_epoch or later(ARGV[i + 1], ARGV[i + 2], peer_epoch, peer_run) then
      redis.call('HSET', key, name, ARGV[i + 1] .. ' ' .. ARGV[i + 2])
      changed = true
    end
  end
end
if changed then
  local version = redis.call('HINCRBY', key, 'version', 1)
  redis.call('HSET', key, 'id', redis.call('HGET', key, 'birth') .. '.' .. version)
end
return redis.call('HGETALL', key)
