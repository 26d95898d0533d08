// Who opens a radio names it.
@_exported import struct Linux.RadioAddress
