import BluetoothHost
import Linux
import LinuxSystem

extension Adapter {
  /// The adapters, in the order of their numbers.
  ///
  /// - Throws: `addressFamilyNotSupported` if the kernel has no Bluetooth.
  package static func all() throws(SystemError) -> [Adapter] {
    var numbers: [UInt16] = []
    do throws(PortFailure) {
      try self.numbers { numbers.append($0) }
    } catch {
      throw SystemError(error.code, "look for", "Bluetooth adapters")
    }
    // Skips an adapter that was removed meanwhile.
    return numbers.sorted().compactMap { try? named($0) }
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

  /// The adapter with a number, and whether it is switched off.
  ///
  /// - Throws: `noSuchDevice` if it is missing.
  package static func named(_ number: UInt16) throws(SystemError) -> Adapter {
    do throws(PortFailure) {
      var adapter = try find(number)
      adapter.block = block(of: number, under: "/sys/class/bluetooth")
      return adapter
    } catch {
      throw SystemError(error, of: "hci\(number)")
    }
  }

  /// An adapter with these values.
  package init(
    number: UInt16, isUp: Bool, isRaw: Bool, isHeld: Bool = false, bus: UInt8 = 1,
    address: DeviceAddress, block: Block
  ) {
    var bytes: UInt64 = 0
    unsafe withUnsafeMutableBytes(of: &bytes) { bytes in
      for index in 0..<6 { unsafe bytes[index] = address.bytes[index] }
    }
    self.init(
      number: number, isUp: isUp, isRaw: isRaw, isHeld: isHeld, bus: bus, address: bytes,
      block: block)
  }

  /// Its public address; zero without one.
  package var publicAddress: DeviceAddress {
    var address = InlineArray<6, UInt8>(repeating: 0)
    unsafe withUnsafeBytes(of: self.address) { bytes in
      for index in 0..<6 { unsafe address[index] = bytes[index] }
    }
    return DeviceAddress(kind: .public, bytes: address)
  }

  /// Its name: hciN.
  package var name: String { "hci\(number)" }

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
