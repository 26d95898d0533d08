/// A Bluetooth adapter of this machine.
package struct Adapter: Equatable {
  /// Whether rfkill(8) blocks it.
  package enum Block: Equatable {
    case none
    /// By software: `rfkill unblock bluetooth` undoes it.
    case soft
    /// By a switch.
    case hard
  }

  /// N of hciN.
  package var number: UInt16
  /// Whether the kernel's stack uses it.
  package var isUp: Bool
  /// Whether the kernel has not set it up.
  package var isRaw: Bool
  /// Whether a program has its user channel. It counts as up then.
  package var isHeld: Bool
  /// The kernel's number of its bus, such as 1 for USB.
  package var bus: UInt8
  /// Its public address, the least significant byte first in memory; 0 without one.
  package var address: UInt64
  /// Whether it is switched off, if that was looked up.
  package var block: Block

  /// An adapter with these values.
  package init(
    number: UInt16, isUp: Bool, isRaw: Bool, isHeld: Bool, bus: UInt8,
    address: UInt64, block: Block
  ) {
    self.number = number
    self.isUp = isUp
    self.isRaw = isRaw
    self.isHeld = isHeld
    self.bus = bus
    self.address = address
    self.block = block
  }

  /// The adapter with a number. Does not look whether it is switched off.
  package static func find(_ number: UInt16) throws(SystemCallError) -> Adapter {
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
    return Adapter(
      number: number, isUp: isUp, isRaw: isRaw, isHeld: isHeld, bus: bus,
      address: address, block: .none)
  }

  /// The numbers of all adapters, in any order. The kernel has at most 16: HCI_MAX_DEV.
  package static func numbers(
    _ body: (_ number: UInt16) -> Void
  ) throws(SystemCallError) {
    var numbers = InlineArray<16, UInt16>(repeating: 0)
    var space = numbers.mutableSpan
    let count = unsafe space.withUnsafeMutableBufferPointer {
      unsafe cbluetooth_list_adapters($0.baseAddress, Int32(truncatingIfNeeded: $0.count))
    }
    guard count >= 0 else { throw failure(.find) }
    for index in 0..<min(Int(truncatingIfNeeded: count), 16) { body(numbers[index]) }
  }

  /// The adapter with this address, under any number; `nil` if there is none.
  package static func find(address: UInt64) -> Adapter? {
    var found: Adapter?
    try? numbers { number in
      guard let adapter = try? find(number), adapter.address == address else { return }
      found = adapter
    }
    return found
  }

  /// Whether the adapter can be found again by its address.
  package var hasAddress: Bool { address != 0 }

  /// Opens the user channel. Takes the adapter down first if it is up.
  package func open() throws(SystemCallError) -> PortDescriptor {
    if isUp {
      guard cbluetooth_take_down(number) >= 0 else { throw Self.failure(.takeOver) }
    }
    let channel = cbluetooth_open_user_channel(number)
    guard channel >= 0 else {
      var failure = Self.failure(.takeOver)
      failure.code = meaning(of: failure.code)
      restore()
      throw failure
    }
    return PortDescriptor(owning: channel)
  }

  /// What the error `code` of its user channel means. The kernel reads the address when it sets an adapter up, and
  /// the adapter is busy until that has succeeded: an adapter that is down and has no address is not in use.
  package func meaning(of code: ErrorNumber) -> ErrorNumber {
    code == .busy && !isUp && !hasAddress ? .notSetUp : code
  }

  /// Gives the adapter back in its previous state, after its channel is closed.
  package func restore() {
    // Fails if it was unplugged: then there is nothing to restore.
    if isUp { _ = cbluetooth_bring_up(number) }
  }

  private static func failure(_ operation: PortOperation) -> SystemCallError {
    SystemCallError(code: .current, operation: operation)
  }
}
