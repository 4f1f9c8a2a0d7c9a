-- KEYS: the word of the writer, those who read by the end of their lease, the fence, those who wait to write, those who
-- wait to read. All times in ms are the server's own, also the ends of leases, which are compared with it.
local WRITER, READERS, FENCE, TO_WRITE, TO_READ = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]

-- How long the set of readers outlives their leases, so that whoever waits sees that a phase of reading has ended and
-- not begun.
local TRACE = 1000

-- An entry among those who read that is no reader: while a writer reads too, or has since its lease ended unseen.
local DOWNGRADE = 'writer'

local function millis(now)
  return math.floor(now / 1000)
end
