-- KEYS: the birth record.
-- ARGV: the run_id of this process as INFO has shown it on this connection; cluster, number of nodes, and index of this node, as the
-- client's configuration has them; the longest lease of the client in ms; a name for a birth; its epoch; the birth that the client
-- has watched, or '', and for how many ms that is old at the least; the indexes, one digit each, of the other nodes that are known to
-- know of this process. Then for each node that the client knows: index, epoch, run_id.
-- Returns the record, after writing a new birth where this process may have forgotten leases.
local key = KEYS[1]
local run, cluster, size, index, lease, nonce, epoch, watched, age, told = unpack(ARGV, 1, 10)

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
local placed = known and record.cluster == cluster and record.size == size and record.index == index
local succeeded = false
for i = 11, #ARGV, 3 do
  if known and ARGV[i] == index and ARGV[i + 2] ~= record.run and later(ARGV[i + 1], ARGV[i + 2], record.epoch, record.run) then
    -- Another process has taken this node's place since: the record is of no use, even if it is this process's.
    succeeded = record.run == run
  end
end

local changed = false
if not placed or record.run ~= run or succeeded then
  local young = known and tonumber(record.age) < tonumber(record.lease)
  local disputed = (known and not placed) or succeeded or (young and record.disputed == '1')
  redis.call('DEL', key)
  redis.call('HSET', key, 'birth', nonce, 'run', run, 'cluster', cluster, 'size', size, 'index', index, 'version', 0,
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
  if tonumber(lease) > tonumber(record.lease) then
    redis.call('HSET', key, 'lease', lease)
    changed = true
  end
  if watched == record.birth then
    local news = string.gsub(told, '%d', function(peer) return string.find(record.told, peer, 1, true) and '' or nil end)
    age = math.max(tonumber(age), tonumber(record.age))
    if news ~= '' then
      redis.call('HSET', key, 'told', record.told .. news)
      if age < tonumber(record.lease) then
        -- Until now a holder that goes on with the predecessor could not learn from that node that it has none of its votes any more.
        redis.call('HSET', key, 'birth', nonce)
        age = 0
        changed = true
      end
    end
    redis.call('HSET', key, 'age', string.format('%.0f', age))
  end
end

for i = 11, #ARGV, 3 do
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
