-- Returns {how many replicas the server has}.
return {tonumber(string.match(redis.call('INFO', 'replication'), 'connected_slaves:(%d+)') or 0)}
