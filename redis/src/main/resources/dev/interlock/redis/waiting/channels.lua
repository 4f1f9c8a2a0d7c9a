-- The channels of PUBLISH, which are those of a whole server.
local PUBLISH, NUMSUB = 'PUBLISH', 'NUMSUB'

