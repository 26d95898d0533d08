#if Tools
import ArgumentParser
import BluetoothHost
import LinuxRadio

/// The address that a ball goes by, as a person gives it.
enum AddressOption {
  /// The controller's own; or a random one, if it has none.
  case automatic
  /// The controller's own.
  case `public`
  /// A new random one.
  case random
  /// This random one.
  case fixed(DeviceAddress)

  /// - Throws: What was expected.
  init(_ text: String) throws {
    switch text.lowercased() {
    case "public": self = .public
    case "random": self = .random
    default:
      guard let address = DeviceAddress(staticRandom: text) else {
        throw ValidationError(
          "expected public, random, or a static random address: six bytes of which the first is "
            + "C0 to FF, such as C0:00:00:00:00:01")
      }
      self = .fixed(address)
    }
  }

  /// As the host takes it.
  var own: OwnAddress {
    switch self {
    case .automatic: .automatic(orRandom: .newStaticRandom())
    case .public: .public
    case .random: .random(.newStaticRandom())
    case .fixed(let address): .random(address)
    }
  }
}

extension DeviceAddress {
  /// Reads a static random address as people write it, such as `C0:00:00:00:00:01`; `nil` unless
  /// it is six bytes of which the first is C0 to FF.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.2.1.
  init?(staticRandom text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6 else { return nil }
    var bytes = InlineArray<6, UInt8>(repeating: 0)
    for (index, part) in parts.enumerated() {
      guard part.utf8.count == 2, let byte = UInt8(part, radix: 16), part.first != "+" else {
        return nil
      }
      bytes[5 - index] = byte
    }
    guard bytes[5] >= 0xC0 else { return nil }
    self.init(kind: .random, bytes: bytes)
  }
}
#endif
