// What needs no heap is in Linux; this module adds names, thrown errors and objects.
@_exported import enum Linux.AddressChoice
@_exported import enum Linux.AddressChoiceError
@_exported import enum Linux.MonotonicClock
@_exported import struct Linux.ErrorNumber
@_exported import struct Linux.RadioAddress
@_exported import struct Linux.Readiness
@_exported import struct Linux.SignalQueue
@_exported import struct Linux.SystemRandom
