-- The sharded channels of a cluster, each of which belongs to the primary of its slot.
local PUBLISH, NUMSUB = 'SPUBLISH', 'SHARDNUMSUB'

