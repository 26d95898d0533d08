import BluetoothHost
import Linux

extension Adapter {
  /// The adapters, in the order of their numbers.
  ///
  /// - Throws: `addressFamilyNotSupported` if the kernel has no Bluetooth.
  package static func all() throws(SystemError) -> [Adapter] {
    var numbers: [UInt16] = []
    do throws(SystemCallError) {
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
    do throws(SystemCallError) {
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

/// Why a program cannot use an adapter.
package enum AdapterError: Equatable {
  /// The kernel has not set it up.
  case notSetUp
  /// A switch has switched it off.
  case hardBlock
  /// rfkill(8) has switched it off.
  case softBlock
  /// The program may not configure adapters.
  case notPermitted
  /// Another program has its user channel.
  case held

  /// Why the adapter `name` is skipped, in a few words.
  package func phrase(_ name: String) -> String {
    switch self {
    case .notSetUp: RadioError(RadioAccessError.notSetUp, of: name).reason
    case .hardBlock: "\(name) is switched off by a switch"
    case .softBlock: "\(name) is switched off (rfkill unblock bluetooth)"
    case .notPermitted: "\(name) needs CAP_NET_ADMIN (sudo)"
    case .held: RadioError(RadioAccessError.held, of: name).reason
    }
  }
}

extension Adapter {
  /// Why a program cannot use it; `nil` if it can.
  ///
  /// - Parameter mayConfigure: Whether the program may configure adapters.
  package func useError(mayConfigure: Bool) -> AdapterError? {
    if isRaw { return .notSetUp }
    switch block {
    case .hard: return .hardBlock
    case .soft: return .softBlock
    case .none: break
    }
    if !mayConfigure { return .notPermitted }
    return isHeld ? .held : nil
  }
}

extension RadioError {
  /// The error for a program that wants the adapter `name`.
  ///
  /// - Parameter holders: The programs that may hold it, as far as known.
  package init(_ name: String, _ error: AdapterError, holders: [ProcessTable.Entry] = []) {
    switch error {
    case .notSetUp: self.init(RadioAccessError.notSetUp, of: name)
    case .hardBlock, .softBlock: self.init(RadioAccessError.switchedOff, of: name)
    case .notPermitted: self.init(RadioAccessError.notPermitted, of: name)
    case .held:
      self.init(RadioAccessError.held, of: name)
      guard !holders.isEmpty else { return }
      reason += ": " + holders.map(\.description).joined(separator: "; or ")
      remedy = "End that program first"
    }
  }
}

/// The radio to use if none is named, and why.
public struct DefaultRadio: Equatable, Sendable {
  /// The first usable adapter, or else the virtual air.
  public var name: RadioAddress
  /// Why, as a sentence without its full stop.
  public var reason: String

  /// Chooses among the adapters of this machine.
  public static func choose() -> DefaultRadio {
    choose(from: Adapter.found(), mayConfigure: CurrentProcess.mayConfigureAdapters)
  }

  package static func choose(
    from adapters: Result<[Adapter], SystemError>, mayConfigure: Bool
  ) -> DefaultRadio {
    switch adapters {
    case .success(let adapters): choose(from: adapters, mayConfigure: mayConfigure)
    case .failure(let error):
      DefaultRadio(name: .virtual, reason: RadioError(.adapter(0), error).reason)
    }
  }

  package static func choose(from adapters: [Adapter], mayConfigure: Bool) -> DefaultRadio {
    var reasons: [String] = []
    for adapter in adapters {
      guard let error = adapter.useError(mayConfigure: mayConfigure) else {
        return DefaultRadio(
          name: .adapter(adapter.number),
          reason: "\(adapter.name) is the first usable adapter")
      }
      reasons.append(error.phrase(adapter.name))
    }
    return DefaultRadio(
      name: .virtual,
      reason: reasons.isEmpty ? Adapter.nonePhrase : reasons.joined(separator: ", and "))
  }
}
