import BluetoothHost
import CBluetooth
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
    var list = [cbluetooth_adapter](
      repeating: cbluetooth_adapter(), count: Int(cbluetooth_most_adapters))
    let count = try SystemCall.run("look for", "Bluetooth adapters") {
      unsafe list.withUnsafeMutableBufferPointer { list in
        unsafe cbluetooth_list_adapters(list.baseAddress, CInt(list.count))
      }
    }
    return list.prefix(Int(count)).map { Adapter($0) }.sorted { $0.number < $1.number }
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
    var adapter = cbluetooth_adapter()
    try SystemCall.run("find", "hci\(number)") {
      unsafe cbluetooth_find_adapter(number, &adapter)
    }
    return Adapter(adapter)
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

  private init(_ adapter: cbluetooth_adapter) {
    number = adapter.number
    isUp = adapter.is_up
    isRaw = adapter.is_raw
    isHeld = adapter.is_held
    bus = adapter.bus
    let a = adapter.address
    address = DeviceAddress(kind: .public, bytes: [a.0, a.1, a.2, a.3, a.4, a.5])
    block = Self.block(of: adapter.number, under: "/sys/class/bluetooth")
  }

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
