import LinuxSystem

/// The name of a Bluetooth controller to use, as an option gives it.
public enum RadioName: Equatable, Sendable {
  /// `virtual`: a virtual controller on this user's virtual air.
  case virtual
  /// `unix:PATH`: a controller behind a UNIX socket of this user or of root.
  case unix(path: String)
  /// `unix:PATH,user=USER`: a controller behind a UNIX socket of this trusted user, by number.
  case unixOfUser(UInt32, path: String)
  /// `tcp-client:HOST:PORT`: a controller that listens on TCP.
  case tcpClient(host: String, port: UInt16)
  /// `tcp-server:HOST:PORT`: a controller that connects to us. The host "_" means all addresses.
  case tcpServer(host: String, port: UInt16)
  /// `serial:DEVICE[,BAUD]`: a controller on a serial line.
  case serial(device: String, speed: UInt32)
  /// `hciN` or `hci-socket:N`: an adapter of this machine.
  case adapter(UInt16)

  /// The default speed of a serial line, in bits per second.
  public static let defaultSpeed: UInt32 = 1_000_000

  /// The forms of a name, for messages.
  public static let forms =
    "virtual, unix:PATH[,user=USER], tcp-client:HOST:PORT, tcp-server:HOST:PORT, "
    + "serial:DEVICE[,BAUD], hciN or hci-socket:N"

  /// Reads a name.
  ///
  /// - Throws: What was expected.
  public init(_ text: String) throws(RadioNameError) {
    func wrong(_ expected: String) -> RadioNameError {
      RadioNameError(text: text, expected: expected)
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let kind = parts.first ?? ""
    let rest = parts.count > 1 ? String(parts[1]) : nil

    switch (kind, rest) {
    case ("virtual", nil):
      self = .virtual
    case ("unix", let path):
      self = try Self.unix(path ?? "", wrong)
    case ("tcp-client", let rest):
      guard let (host, port) = Self.hostAndPort(rest) else { throw wrong("tcp-client:HOST:PORT") }
      self = .tcpClient(host: host, port: port)
    case ("tcp-server", let rest):
      guard let (host, port) = Self.hostAndPort(rest) else { throw wrong("tcp-server:HOST:PORT") }
      self = .tcpServer(host: host, port: port)
    case ("serial", let rest):
      self = try Self.serial(rest ?? "", wrong)
    case ("hci-socket", let number):
      guard let number = number.flatMap({ Self.number($0) }) else { throw wrong("hci-socket:N") }
      self = .adapter(number)
    case (_, nil) where kind.hasPrefix("hci"):
      guard let number = Self.number(kind.dropFirst(3)) else {
        throw wrong("hciN, such as hci0")
      }
      self = .adapter(number)
    default:
      throw wrong(Self.forms)
    }
  }

  private static func unix(
    _ text: String, _ wrong: (String) -> RadioNameError
  ) throws(RadioNameError) -> RadioName {
    let mark = ",user="
    let starts = text.indices.filter { text[$0...].hasPrefix(mark) }
    let path = String(text[..<(starts.first ?? text.endIndex)])
    guard !path.isEmpty, starts.count <= 1 else {
      throw wrong("unix:PATH")
    }
    guard let start = starts.first else { return .unix(path: path) }
    guard let user = CurrentProcess.userNumber(of: String(text[start...].dropFirst(mark.count)))
    else {
      throw wrong("unix:PATH,user=USER, with a user of this machine for USER")
    }
    return .unixOfUser(user, path: path)
  }

  private static func serial(
    _ text: String, _ wrong: (String) -> RadioNameError
  ) throws(RadioNameError) -> RadioName {
    let form = "serial:DEVICE[,BAUD]"
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard let device = parts.first, !device.isEmpty, parts.count <= 2 else { throw wrong(form) }
    guard parts.count == 2 else { return .serial(device: String(device), speed: defaultSpeed) }
    guard let speed = UInt32(parts[1]), SerialPort.speeds.contains(speed) else {
      let speeds = SerialPort.speeds.map { String($0) }.joined(separator: ", ")
      throw wrong("\(form), with one of \(speeds) for BAUD")
    }
    return .serial(device: String(device), speed: speed)
  }

  /// Reads HOST:PORT, where an IPv6 address may stand in brackets.
  private static func hostAndPort(_ text: String?) -> (host: String, port: UInt16)? {
    guard let text, let colon = text.lastIndex(of: ":"),
      let port = number(text[text.index(after: colon)...]), port > 0
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    return (String(host), port)
  }

  /// Reads a number without a sign.
  private static func number<Text: StringProtocol>(_ text: Text) -> UInt16? {
    text.utf8.first == UInt8(ascii: "+") ? nil : UInt16(text)
  }
}

extension RadioName: CustomStringConvertible {
  /// The name as a user types it.
  public var description: String {
    switch self {
    case .virtual: "virtual"
    case .unix(let path): "unix:\(path)"
    case .unixOfUser(let user, let path): "unix:\(path),user=\(user)"
    case .tcpClient(let host, let port): "tcp-client:\(Self.text(host)):\(port)"
    case .tcpServer(let host, let port): "tcp-server:\(Self.text(host)):\(port)"
    case .serial(let device, let speed): "serial:\(device),\(speed)"
    case .adapter(let number): "hci\(number)"
    }
  }

  private static func text(_ host: String) -> String {
    host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
  }
}

/// A radio's name that could not be read.
public struct RadioNameError: Error, Equatable, CustomStringConvertible {
  /// The text that was read.
  public var text: String
  /// The forms that are right.
  public var expected: String

  /// The text `text`, where `expected` was expected.
  public init(text: String, expected: String) {
    self.text = text
    self.expected = expected
  }

  /// The error as a sentence without its full stop.
  public var description: String {
    "\"\(text)\" names no radio: expected \(expected)"
  }
}
