import BluetoothHost
import LinuxSystem

/// The address that a device goes by on its radio, as a person names it.
public enum AddressChoice: Equatable, Sendable {
  /// The controller's own; a new random one, if it has none.
  case automatic
  /// The controller's own.
  case `public`
  /// A new random one.
  case random
  /// This static random one.
  case fixed(DeviceAddress)

  /// Reads `public`, `random`, or a static random address such as `C0:00:00:00:00:01`.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.2.1: the two top bits of a static random address are
  /// ones, and among the other 46 there is at least one 0 and at least one 1.
  ///
  /// - Throws: What is wrong with `text`.
  public init(_ text: String) throws(AddressChoiceError) {
    switch text.lowercased() {
    case "public":
      self = .public
    case "random":
      self = .random
    default:
      guard let bytes = Self.bytes(text), bytes[5] >= 0xC0 else {
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

  /// What EIGHTBALL_ADDRESS names, or `automatic` if it is unset or empty.
  ///
  /// - Throws: What is wrong with it.
  public static func fromEnvironment() throws(AddressChoiceError) -> AddressChoice {
    guard let text = Process.environment("EIGHTBALL_ADDRESS") else { return .automatic }
    return try AddressChoice(text)
  }

  /// As a host takes it.
  package var own: OwnAddress { own(orRandom: .newStaticRandom()) }

  /// As a host takes it: a device that had `known` before has it again, where a controller has no address.
  package func own(orRandom known: DeviceAddress) -> OwnAddress {
    switch self {
    case .automatic: .automatic(orRandom: known)
    case .public: .public
    case .random: .random(.newStaticRandom())
    case .fixed(let address): .random(address)
    }
  }

  /// Six bytes as people write them, the least significant first; `nil` if `text` is something
  /// else.
  private static func bytes(_ text: String) -> InlineArray<6, UInt8>? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6 else { return nil }
    var bytes = InlineArray<6, UInt8>(repeating: 0)
    for (index, part) in parts.enumerated() {
      guard part.utf8.count == 2, let byte = UInt8(part, radix: 16), part.first != "+" else {
        return nil
      }
      bytes[5 - index] = byte
    }
    return bytes
  }
}

/// An address that could not be read, or that no device may have.
public struct AddressChoiceError: Error, Equatable, CustomStringConvertible {
  /// What was read.
  public var text: String
  /// Whether it is a static random address but for its random bits, which are all the same.
  public var isUniform: Bool

  /// The text `text`, and whether its random bits are all the same.
  public init(text: String, isUniform: Bool) {
    self.text = text
    self.isUniform = isUniform
  }

  /// What it is, in words.
  public var description: String {
    let example = "such as C0:00:00:00:00:01"
    guard isUniform else {
      return "\"\(text)\" names no address: expected public, random, or a static random address, "
        + "six bytes of which the first is C0 to FF, \(example)"
    }
    return "\"\(text)\" is no static random address: below its two top bits there must be at least "
      + "one bit 0 and at least one bit 1 (Core Specification, Vol 6, Part B, 1.3.2.1); give "
      + "another, \(example)"
  }
}
