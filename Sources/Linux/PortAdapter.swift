import BluetoothHost

/// A Bluetooth adapter of this machine.
package struct PortAdapter {
  /// N of hciN.
  package var number: UInt16
  /// Whether the kernel's stack uses it.
  package var isUp: Bool
  /// Its public address in memory order; 0 without one.
  package var address: UInt64

  /// The adapter with a number.
  package static func find(_ number: UInt16) throws(PortFailure) -> PortAdapter {
    var (isUp, isRaw, isHeld) = (false, false, false)
    var bus: UInt8 = 0
    var address: UInt64 = 0
    let result = unsafe withUnsafeMutableBytes(of: &address) { bytes in
      // Six bytes are written.
      unsafe cbluetooth_find_adapter(
        number, &isUp, &isRaw, &isHeld, &bus, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      )
    }
    guard result >= 0 else { throw failure(.find) }
    return PortAdapter(number: number, isUp: isUp, address: address)
  }

  /// The adapter with this address, under any number; `nil` if there is none.
  package static func find(address: UInt64) -> PortAdapter? {
    // The kernel has at most 16: HCI_MAX_DEV.
    var numbers = InlineArray<16, UInt16>(repeating: 0)
    var span = numbers.mutableSpan
    let count = unsafe span.withUnsafeMutableBufferPointer {
      unsafe cbluetooth_list_adapters($0.baseAddress, Int32(truncatingIfNeeded: $0.count))
    }
    for index in 0..<min(max(Int(truncatingIfNeeded: count), 0), 16) {
      guard let adapter = try? find(numbers[index]) else { continue }
      if adapter.address == address { return adapter }
    }
    return nil
  }

  /// Whether the adapter can be found again by its address.
  package var hasAddress: Bool { address != 0 }

  /// Opens the user channel. Takes the adapter down first if it is up.
  package func open() throws(PortFailure) -> PortDescriptor {
    if isUp {
      guard cbluetooth_take_down(number) >= 0 else { throw Self.failure(.takeOver) }
    }
    let channel = cbluetooth_open_user_channel(number)
    guard channel >= 0 else {
      let failure = Self.failure(.takeOver)
      restore()
      throw failure
    }
    return PortDescriptor(owning: channel)
  }

  /// Gives the adapter back in its previous state, after its channel is closed.
  package func restore() {
    // Fails if it was unplugged: then there is nothing to restore.
    if isUp { _ = cbluetooth_bring_up(number) }
  }

  private static func failure(_ operation: PortOperation) -> PortFailure {
    PortFailure(code: ErrorNumber(rawValue: clinux_last_error()), operation: operation)
  }
}
