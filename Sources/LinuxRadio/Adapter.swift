import BluetoothHost
import Linux
import LinuxSystem

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
  /// Whether the kernel itself uses it.
  package var isUp: Bool
  /// Whether the kernel has not set it up.
  package var isRaw: Bool
  /// Whether a program has its user channel. It counts as up then.
  package var isHeld: Bool
  /// The kernel's number of its bus, such as 1 for USB.
  package var bus: UInt8
  /// Its public address; zero if it has no address.
  package var address: DeviceAddress
  /// Whether it is switched off.
  package var block: Block

  /// The adapters, in the order of their numbers.
  ///
  /// - Throws: `addressFamilyNotSupported` if the kernel has no Bluetooth.
  package static func all() throws(SystemError) -> [Adapter] {
    // The kernel's maximum: HCI_MAX_DEV.
    var numbers = [UInt16](repeating: 0, count: 16)
    let count = try SystemCall.run("look for", "Bluetooth adapters") {
      let capacity = CInt(numbers.count)
      return unsafe cbluetooth_list_adapters(&numbers, capacity)
    }
    // Skips an adapter that was removed meanwhile.
    return numbers.prefix(Int(count)).sorted().compactMap { try? find($0) }
  }

  /// The adapters, or why they cannot be listed.
  package static func found() -> Result<[Adapter], SystemError> {
    do throws(SystemError) {
      return .success(try all())
    } catch {
      return .failure(error)
    }
  }

  /// The message for a machine without adapters.
  package static let nonePhrase = "there is no Bluetooth adapter"

  /// The adapter with a number.
  ///
  /// - Throws: `noSuchDevice` if it is missing.
  package static func find(_ number: UInt16) throws(SystemError) -> Adapter {
    var (isUp, isRaw, isHeld) = (false, false, false)
    var bus: UInt8 = 0
    var address = [UInt8](repeating: 0, count: 6)
    try SystemCall.run("find", "hci\(number)") {
      unsafe cbluetooth_find_adapter(number, &isUp, &isRaw, &isHeld, &bus, &address)
    }
    return Adapter(
      number: number, isUp: isUp, isRaw: isRaw, isHeld: isHeld, bus: bus,
      address: DeviceAddress(
        kind: .public,
        bytes: [address[0], address[1], address[2], address[3], address[4], address[5]]),
      block: block(of: number, under: "/sys/class/bluetooth"))
  }

  /// Its name: hciN.
  package var name: String { "hci\(number)" }

  package init(
    number: UInt16, isUp: Bool, isRaw: Bool, isHeld: Bool = false, bus: UInt8 = 1,
    address: DeviceAddress, block: Block
  ) {
    self.number = number
    self.isUp = isUp
    self.isRaw = isRaw
    self.isHeld = isHeld
    self.bus = bus
    self.address = address
    self.block = block
  }

  /// The state in /sys/class/bluetooth/hciN/rfkillM/soft and /hard.
  package static func block(of number: UInt16, under root: String) -> Block {
    let directory = "\(root)/hci\(number)"
    var block = Block.none
    for name in Files.names(in: directory) where name.hasPrefix("rfkill") {
      if isSet("\(directory)/\(name)/hard") { return .hard }
      if isSet("\(directory)/\(name)/soft") { block = .soft }
    }
    return block
  }

  private static func isSet(_ path: String) -> Bool {
    (try? Files.text(of: path))?.hasPrefix("1") ?? false
  }
}
