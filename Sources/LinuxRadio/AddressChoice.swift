import BluetoothHost
import LinuxSystem

/// The address that a device uses on its radio, as an option names it.
public enum AddressChoice: Equatable, Sendable {
  /// The controller's public address, or a new static random one if it has no public address.
  case automatic
  /// The controller's public address.
  case `public`
  /// A new static random address.
  case random
  /// This static random address.
  case fixed(DeviceAddress)

  /// Reads `public`, `random`, or a static random address such as `C0:00:00:00:00:01`.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.2.1: the two most significant bits of a static random
  /// address are 1; the other 46 have at least one 0 and at least one 1.
  ///
  /// - Throws: What is wrong with `text`.
  public init(_ text: String) throws(AddressChoiceError) {
    switch text.lowercased() {
    case "public":
      self = .public
    case "random":
      self = .random
    default:
      guard let bytes = DeviceAddress.bytes(of: text), bytes[5] >= 0xC0 else {
        throw AddressChoiceError(text: text, isUniform: false)
      }
      var random = [bytes[5] & 0x3F]
      for index in 0..<5 { random.append(bytes[index]) }
      let isAllZeros = random.allSatisfy { $0 == 0 }
      let isAllOnes = random[0] == 0x3F && random.dropFirst().allSatisfy { $0 == 0xFF }
      guard !isAllZeros, !isAllOnes else { throw AddressChoiceError(text: text, isUniform: true) }
      self = .fixed(DeviceAddress(kind: .random, bytes: bytes))
    }
  }

  /// The choice in EIGHTBALL_ADDRESS; `automatic` if it is unset or empty.
  ///
  /// - Throws: What is wrong with it.
  public static func fromEnvironment() throws(AddressChoiceError) -> AddressChoice {
    guard let text = CurrentProcess.environment("EIGHTBALL_ADDRESS") else { return .automatic }
    return try AddressChoice(text)
  }

  /// The host's setting.
  package var own: OwnAddress { own(orRandom: .newStaticRandom()) }

  /// The host's setting. With `automatic`, a controller without an address gets `known`.
  package func own(orRandom known: DeviceAddress) -> OwnAddress {
    switch self {
    case .automatic: .automatic(orRandom: known)
    case .public: .public
    case .random: .random(.newStaticRandom())
    case .fixed(let address): .random(address)
    }
  }

}

/// An address that could not be read, or that no device may have.
public struct AddressChoiceError: Error, Equatable, CustomStringConvertible {
  /// The text that was read.
  public var text: String
  /// Whether the only error is that all random bits of a static random address are the same.
  public var isUniform: Bool

  /// The text `text`, and whether its random bits are all the same.
  public init(text: String, isUniform: Bool) {
    self.text = text
    self.isUniform = isUniform
  }

  /// The error as a sentence without its full stop.
  public var description: String {
    let example = "such as C0:00:00:00:00:01"
    guard isUniform else {
      return "\"\(text)\" names no address: expected public, random, or a static random address, "
        + "six bytes with C0 to FF as the first, \(example)"
    }
    return
      "\"\(text)\" is not a static random address: of its lower 46 bits, at least one must be 0 "
      + "and at least one 1 (Core Specification, Vol 6, Part B, 1.3.2.1). Choose another, \(example)"
  }
}
