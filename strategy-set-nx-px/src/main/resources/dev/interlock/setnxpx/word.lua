-- What a held lock holds: this and the owner token; and the mark behind them as soon as somebody waits for it.
local MAGIC, MARK = 'il1:', ':contended'

