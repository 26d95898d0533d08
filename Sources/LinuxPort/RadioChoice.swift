import BluetoothHost
import Boards

/// The Bluetooth controller to use, as given with `--radio`.
public struct RadioChoice: Sendable {
  /// How the controller is reached.
  public enum Way: Equatable, Sendable {
    /// `unix:PATH[,user=NUMBER]`: a UNIX socket of this user, of root, or of the trusted user.
    case unix(trusted: UInt32?)
    /// `tcp-client:HOST:PORT`: a controller that listens on TCP.
    case tcpClient(port: UInt16)
    /// `tcp-server:HOST:PORT`: a controller that connects to us.
    case tcpServer(port: UInt16)
    /// `serial:DEVICE[,BAUD]`: a serial line, and its speed in bits a second.
    case serial(speed: UInt32)
    /// `hciN` or `hci-socket:N`: an adapter of this machine.
    case adapter(UInt16)
  }

  /// How the controller is reached.
  public var way: Way
  /// The path, the host or the device; empty for an adapter.
  public var target: CText<256>

  /// The adapter hci0.
  public static var hci0: RadioChoice { RadioChoice(.adapter(0)) }

  /// The default speed of a serial line, in bits a second.
  static var defaultSpeed: UInt32 { 1_000_000 }

  /// The speeds of serial lines, in bits a second.
  public static var speeds: InlineArray<18, UInt32> {
    [
      9_600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 500_000, 576_000, 921_600,
      1_000_000, 1_152_000, 1_500_000, 2_000_000, 2_500_000, 3_000_000, 3_500_000, 4_000_000,
    ]
  }

  private init(_ way: Way) {
    self.way = way
    target = CText()
  }

  /// Reads a name.
  ///
  /// - Throws: What was expected instead.
  public init(_ text: Span<UInt8>) throws(RadioChoiceError) {
    self.init(.adapter(0))
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
      // A kind without its argument.
      if let form = Self.form(of: text) { throw form }
      guard text.begins(with: "hci") else { throw .anyForm }
      way = .adapter(try Self.number(text.extracting(droppingFirst: 3), .adapter))
      return
    }
    let rest = text.extracting(droppingFirst: colon + 1)
    switch Self.form(of: text.extracting(first: colon)) {
    case .unix: try readUnix(rest)
    case .tcpClient: way = .tcpClient(port: try readHost(rest, .tcpClient))
    case .tcpServer: way = .tcpServer(port: try readHost(rest, .tcpServer))
    case .serial: try readSerial(rest)
    case .adapterSocket: way = .adapter(try Self.number(rest, .adapterSocket))
    default: throw .anyForm
    }
  }

  /// The form of names of this kind; `nil` if there is no such kind.
  private static func form(of kind: Span<UInt8>) -> RadioChoiceError? {
    let forms: InlineArray<6, RadioChoiceError> = [
      .unix, .tcpClient, .tcpServer, .serial, .adapterSocket, .virtual,
    ]
    for index in forms.indices where kind.equals(forms[index].kind) { return forms[index] }
    return nil
  }

  private mutating func readUnix(_ text: Span<UInt8>) throws(RadioChoiceError) {
    let separator: StaticString = ",user="
    guard let comma = text.firstIndex(of: separator) else {
      guard !text.isEmpty else { throw .unix }
      way = .unix(trusted: nil)
      try readTarget(text)
      return
    }
    let user = text.extracting(droppingFirst: comma + separator.utf8CodeUnitCount)
    guard comma > 0, user.firstIndex(of: separator) == nil else { throw .unix }
    guard let number = user.unsignedNumber(upTo: 0xFFFF_FFFF) else { throw .user }
    way = .unix(trusted: UInt32(truncatingIfNeeded: number))
    try readTarget(text.extracting(first: comma))
  }

  private mutating func readSerial(_ text: Span<UInt8>) throws(RadioChoiceError) {
    let comma = text.firstIndex(of: UInt8(ascii: ","))
    let device = text.extracting(first: comma ?? text.count)
    guard !device.isEmpty else { throw .serial }
    var speed = Self.defaultSpeed
    if let comma {
      let digits = text.extracting(droppingFirst: comma + 1)
      guard digits.firstIndex(of: UInt8(ascii: ",")) == nil else { throw .serial }
      guard let number = digits.unsignedNumber(upTo: 4_000_000) else { throw .speed }
      speed = UInt32(truncatingIfNeeded: number)
      guard Self.isSpeed(speed) else { throw .speed }
    }
    way = .serial(speed: speed)
    try readTarget(device)
  }

  private static func isSpeed(_ speed: UInt32) -> Bool {
    let all = speeds
    for index in all.indices where all[index] == speed { return true }
    return false
  }

  /// Reads HOST:PORT, where an IPv6 address may be in brackets, and returns the port.
  private mutating func readHost(
    _ text: Span<UInt8>, _ form: RadioChoiceError
  ) throws(RadioChoiceError) -> UInt16 {
    guard let colon = text.lastIndex(of: UInt8(ascii: ":")) else { throw form }
    let port = try Self.number(text.extracting(droppingFirst: colon + 1), form)
    guard port > 0 else { throw form }
    var host = text.extracting(first: colon)
    if host.count >= 2, host[0] == UInt8(ascii: "["), host[host.count - 1] == UInt8(ascii: "]") {
      host = host.extracting(1..<(host.count - 1))
    }
    try readTarget(host)
    guard TCPAddress(target, 0, toListen: form == .tcpServer) != nil else { throw .hostName }
    return port
  }

  private mutating func readTarget(_ text: Span<UInt8>) throws(RadioChoiceError) {
    guard target.assign(text) else { throw .tooLong }
  }

  private static func number(
    _ text: Span<UInt8>, _ form: RadioChoiceError
  ) throws(RadioChoiceError) -> UInt16 {
    guard let number = text.unsignedNumber(upTo: 0xFFFF) else { throw form }
    return UInt16(truncatingIfNeeded: number)
  }
}

extension RadioChoice {
  /// Writes the name as the user would type it.
  public func write(to writer: inout ByteWriter) {
    switch way {
    case .unix(let user):
      writer.write(text: "unix:")
      writer.write(start: target.span)
      guard let user else { return }
      writer.write(text: ",user=")
      writer.write(decimal: user)
    case .tcpClient(let port):
      writer.write(text: "tcp-client:")
      writeHost(to: &writer, port)
    case .tcpServer(let port):
      writer.write(text: "tcp-server:")
      writeHost(to: &writer, port)
    case .serial(let speed):
      writer.write(text: "serial:")
      writer.write(start: target.span)
      writer.write(text: ",")
      writer.write(decimal: speed)
    case .adapter(let number):
      writer.write(text: "hci")
      writer.write(decimal: UInt32(number))
    }
  }

  /// Writes the controller's name for messages: the path, HOST:PORT, the device, or hciN.
  func writeTarget(to writer: inout ByteWriter) {
    switch way {
    case .unix, .serial: writer.write(start: target.span)
    case .tcpClient(let port), .tcpServer(let port):
      if target.count == 0 {
        writer.write(text: "localhost:")
        writer.write(decimal: UInt32(port))
      } else {
        writeHost(to: &writer, port)
      }
    case .adapter: write(to: &writer)
    }
  }

  private func writeHost(to writer: inout ByteWriter, _ port: UInt16) {
    let isBracketed = target.span.firstIndex(of: UInt8(ascii: ":")) != nil
    if isBracketed { writer.write(text: "[") }
    writer.write(start: target.span)
    if isBracketed { writer.write(text: "]") }
    writer.write(text: ":")
    writer.write(decimal: UInt32(port))
  }
}

/// Why a text is not a radio of this port.
public enum RadioChoiceError: Error, Equatable, Sendable {
  /// The text has none of the forms.
  case anyForm
  /// The form of `unix:PATH` is invalid.
  case unix
  /// The user of `unix:PATH,user=NUMBER` is not a number.
  case user
  /// The form of `tcp-client:HOST:PORT` is invalid.
  case tcpClient
  /// The form of `tcp-server:HOST:PORT` is invalid.
  case tcpServer
  /// The form of `serial:DEVICE[,BAUD]` is invalid.
  case serial
  /// A serial line has no such speed.
  case speed
  /// The form of `hciN` is invalid.
  case adapter
  /// The form of `hci-socket:N` is invalid.
  case adapterSocket
  /// The virtual air, which this port does not support.
  case virtual
  /// A host that has to be looked up.
  case hostName
  /// A path, host or device of more than 255 bytes.
  case tooLong

  /// The prefix of names of this kind; empty for an error about several kinds.
  fileprivate var kind: StaticString {
    switch self {
    case .unix: "unix"
    case .tcpClient: "tcp-client"
    case .tcpServer: "tcp-server"
    case .serial: "serial"
    case .adapterSocket: "hci-socket"
    case .virtual: "virtual"
    default: ""
    }
  }

  /// Writes what is wrong with `text`, without a full stop.
  public func write(to writer: inout ByteWriter, of text: Span<UInt8>) {
    writer.write(text: "\"")
    writer.writeShown(text)
    writer.write(text: "\" names no radio")
    switch self {
    case .virtual:
      writer.write(text: " of eightballd: the virtual air is for eightball run --radio virtual")
      return
    case .hostName:
      writer.write(
        text: """
           of eightballd: expected a numeric address or localhost for HOST; eightball run looks \
          names up
          """)
      return
    default: break
    }
    writer.write(text: ": expected ")
    switch self {
    case .anyForm, .virtual, .hostName:
      writer.write(
        text: """
          unix:PATH[,user=NUMBER], tcp-client:HOST:PORT, tcp-server:HOST:PORT, \
          serial:DEVICE[,BAUD], hciN or hci-socket:N
          """)
    case .unix: writer.write(text: "unix:PATH")
    case .user:
      writer.write(
        text: "unix:PATH,user=NUMBER, with the number of a user; eightball run looks names up")
    case .tcpClient: writer.write(text: "tcp-client:HOST:PORT")
    case .tcpServer: writer.write(text: "tcp-server:HOST:PORT")
    case .serial: writer.write(text: "serial:DEVICE[,BAUD]")
    case .speed:
      writer.write(text: "serial:DEVICE[,BAUD], with one of ")
      let speeds = RadioChoice.speeds
      for index in speeds.indices {
        if index > 0 { writer.write(text: ", ") }
        writer.write(decimal: speeds[index])
      }
      writer.write(text: " for BAUD")
    case .adapter: writer.write(text: "hciN, such as hci0")
    case .adapterSocket: writer.write(text: "hci-socket:N")
    case .tooLong: writer.write(text: "at most 255 bytes for a path, a host or a device")
    }
  }
}
