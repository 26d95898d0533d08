// CBluetooth's functions. The header is not imported: see CLinux.swift in LinuxSystem.
// CBluetoothTests compares these with the header.

/// Fills in the state of hci`number`; `address` has room for 6 bytes.
@_extern(c) func cbluetooth_find_adapter(
  _ number: UInt16, _ isUp: UnsafeMutablePointer<Bool>?, _ isRaw: UnsafeMutablePointer<Bool>?,
  _ isHeld: UnsafeMutablePointer<Bool>?, _ bus: UnsafeMutablePointer<UInt8>?,
  _ address: UnsafeMutablePointer<UInt8>?
) -> CInt

/// Fills in the numbers of the first adapters, and returns how many there are.
@_extern(c) func cbluetooth_list_adapters(
  _ numbers: UnsafeMutablePointer<UInt16>?, _ capacity: CInt
) -> CInt

/// Takes an adapter away from the kernel's own stack.
@_extern(c) func cbluetooth_take_down(_ number: UInt16) -> CInt

/// Gives an adapter back to the kernel's own stack.
@discardableResult
@_extern(c) func cbluetooth_bring_up(_ number: UInt16) -> CInt

/// Opens the user channel of an adapter that is down.
@_extern(c) func cbluetooth_open_user_channel(_ number: UInt16) -> CInt
