// The functions of the C module CBluetooth: Linux's adapters in plain types. It has no header, for
// the reason that CLinux.swift gives. Nothing of libbluetooth is linked. Each call that fails
// returns -1 and sets errno.

/// Fills in the kernel's data on hci`number`. ENODEV if there is none.
///
/// `isUp`: the kernel uses it, perhaps for bluetoothd. `isRaw`: it has not been set up or is no LE
/// controller, so only raw access works. `isHeld`: a program has its user channel. `bus`: hdev->bus
/// of the kernel, such as 1 for USB and 3 for UART. `address`: the 6 bytes of its public address,
/// least significant first; zeros without one.
@_extern(c) package func cbluetooth_find_adapter(
  _ number: UInt16, _ isUp: UnsafeMutablePointer<Bool>?, _ isRaw: UnsafeMutablePointer<Bool>?,
  _ isHeld: UnsafeMutablePointer<Bool>?, _ bus: UnsafeMutablePointer<UInt8>?,
  _ address: UnsafeMutablePointer<UInt8>?
) -> Int32

/// Fills in the numbers of the first adapters, and returns how many. The kernel has at most 16.
@_extern(c) package func cbluetooth_list_adapters(
  _ numbers: UnsafeMutablePointer<UInt16>?, _ capacity: Int32
) -> Int32

/// Takes an adapter down, so that the kernel's stack does not use it. EPERM without CAP_NET_ADMIN;
/// EUSERS if another program has its user channel.
@_extern(c) package func cbluetooth_take_down(_ number: UInt16) -> Int32

/// Gives an adapter back to the kernel's stack. Does nothing if it is up.
@discardableResult
@_extern(c) package func cbluetooth_bring_up(_ number: UInt16) -> Int32

/// Opens the user channel of an adapter that is down: one packet a read or write, H4's type byte
/// first. The descriptor does not block, and is closed on exec.
///
/// EBUSY if the adapter is up; EUSERS if another program has the channel; EPERM without
/// CAP_NET_ADMIN; ENODEV if there is no such adapter; ERFKILL if it is blocked.
@_extern(c) package func cbluetooth_open_user_channel(_ number: UInt16) -> Int32
