import BluetoothHost
import LinuxSystem

/// A Bluetooth adapter of this machine.
package struct Adapter: Equatable {
  /// Whether rfkill(8) lets it send.
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
  /// Whether it has not been set up.
  package var isRaw: Bool
  /// Whether a program has its user channel. It counts as up then.
  package var isHeld: Bool
  /// What it is plugged into: the kernel's number, such as 1 for USB.
  package var bus: UInt8
  /// Its public address; zero if it has none.
  package var address: DeviceAddress
  /// Whether it is switched off.
  package var block: Block

  /// The adapters, in the order of their numbers.
  ///
  /// - Throws: `addressFamilyNotSupported` if the kernel has no Bluetooth.
  package static func all() throws(SystemError) -> [Adapter] {
    // The kernel has as many at most: HCI_MAX_DEV.
    var numbers = [UInt16](repeating: 0, count: 16)
    let count = try SystemCall.run("look for", "Bluetooth adapters") {
      let capacity = CInt(numbers.count)
      return unsafe cbluetooth_list_adapters(&numbers, capacity)
    }
    // One that has gone since is left out.
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

  /// What is said of a machine without adapters.
  package static let nonePhrase = "there is no Bluetooth adapter"

  /// The adapter with a number.
  ///
  /// - Throws: `noSuchDevice` if there is none.
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

  /// Opens its user channel, for which it is taken from the kernel if need be.
  package func open() throws(SystemError) -> FileDescriptor {
    if isUp { try SystemCall.run("take over", name) { cbluetooth_take_down(number) } }
    do throws(SystemError) {
      let channel = try SystemCall.run("take over", name) { cbluetooth_open_user_channel(number) }
      return FileDescriptor(owning: channel, name: name)
    } catch {
      restore()
      throw error
    }
  }

  /// Gives it back to the kernel as it was, once its channel is closed.
  package func restore() {
    // Fails if it has been unplugged, and then there is nothing to give back.
    if isUp { cbluetooth_bring_up(number) }
  }

  /// What it is called: hciN.
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

  /// What /sys/class/bluetooth/hciN/rfkillM/soft and /hard tell.
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
