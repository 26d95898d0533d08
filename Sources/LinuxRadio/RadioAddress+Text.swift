import BluetoothHost
import Linux

extension RadioAddress {
  /// The forms of an address, for messages.
  public static let forms =
    "virtual, unix:PATH[,user=USER], tcp-client:HOST:PORT, tcp-server:HOST:PORT, "
    + "serial:DEVICE[,BAUD], hciN, hci-socket:N or bluez:hciN"

  /// Reads an address. A trusted user may have a name.
  ///
  /// - Throws: What was expected.
  public init(_ text: String) throws(RadioTextError) {
    let bytes = Array(text.utf8)
    do throws(RadioAddressError) {
      try self.init(bytes.span)
    } catch {
      guard error == .user, let address = Self.ofNamedUser(text) else {
        throw RadioTextError(text, error)
      }
      self = address
    }
  }

  /// Reads `unix:PATH,user=NAME`; `nil` if the user is unknown.
  private static func ofNamedUser(_ text: String) -> RadioAddress? {
    guard let separator = text.lastIndex(of: "=") else { return nil }
    let name = String(text[text.index(after: separator)...])
    guard let user = CurrentProcess.userNumber(of: name) else { return nil }
    let bytes = Array("\(text[...separator])\(user)".utf8)
    return try? RadioAddress(bytes.span)
  }

  /// A controller behind a UNIX socket of this user, of root, or of the trusted user with this
  /// number. No socket has a path of more than 107 bytes.
  public static func unix(path: String, trusting user: UInt32? = nil) -> RadioAddress {
    RadioAddress(.unix(trusted: user), at: Array(path.utf8).span)
  }

  /// A controller that listens on TCP. A host has at most 255 bytes; "" is this machine.
  public static func tcpClient(host: String, port: UInt16) -> RadioAddress {
    RadioAddress(.tcpClient(port: port), at: Array(host.utf8).span)
  }

  /// A controller that connects to us by TCP. The host "_" means all addresses.
  public static func tcpServer(host: String, port: UInt16) -> RadioAddress {
    RadioAddress(.tcpServer(port: port), at: Array(host.utf8).span)
  }

  /// The path, the host or the device; empty for adapters and the virtual air.
  package var place: String {
    String(decoding: target.span.indices.map { target.span[$0] }, as: UTF8.self)
  }
}

extension RadioAddress: CustomStringConvertible {
  /// The address as a user types it.
  public var description: String { String(writing: { write(to: &$0) }) }
}

/// A text that is not the address of a radio.
public struct RadioTextError: Error, Equatable, CustomStringConvertible {
  /// The text that was read.
  public var text: String
  /// The forms that are right.
  public var expected: String

  /// The text `text`, where `expected` was expected.
  public init(text: String, expected: String) {
    self.text = text
    self.expected = expected
  }

  init(_ text: String, _ error: RadioAddressError) {
    self.text = text
    expected =
      switch error {
      case .anyForm: RadioAddress.forms
      case .user: "unix:PATH,user=USER, with a user of this machine for USER"
      default: String(writing: { error.writeExpected(to: &$0) })
      }
  }

  /// The error as a sentence without its full stop.
  public var description: String {
    "unknown radio \"\(text)\": expected \(expected)"
  }
}

extension AddressChoice {
  /// Reads `public`, `random`, or a static random address such as `C0:00:00:00:00:01`.
  ///
  /// - Throws: What is wrong with `text`.
  public init(_ text: String) throws(AddressTextError) {
    do throws(AddressChoiceError) {
      try self.init(Array(text.utf8).span)
    } catch {
      throw AddressTextError(text: text, error: error)
    }
  }
}

/// A text that is not an address, or not one that a device may have.
public struct AddressTextError: Error, Equatable, CustomStringConvertible {
  /// The text that was read.
  public var text: String
  /// What is wrong with it.
  public var error: AddressChoiceError

  /// The text `text`, and what is wrong with it.
  public init(text: String, error: AddressChoiceError) {
    self.text = text
    self.error = error
  }

  /// The error as a sentence without its full stop.
  public var description: String {
    let bytes = Array(text.utf8)
    return String(writing: { error.write(to: &$0, of: bytes.span) })
  }
}
