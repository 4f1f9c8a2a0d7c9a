-- What a held lock holds in the plain format: this and the owner token, and never a mark. The list tells whether
-- somebody waits.
local MAGIC, MARK = 'il1:', ''

