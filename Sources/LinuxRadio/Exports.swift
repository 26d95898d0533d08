// Who opens a radio names it, and its address there.
@_exported import enum Linux.AddressChoice
@_exported import enum Linux.AddressChoiceError
@_exported import struct Linux.RadioAddress
