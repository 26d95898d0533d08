import BluetoothHost

/// Where the Bluetooth controller to use is, as given with `--radio`.
public struct RadioAddress: Equatable, Sendable {
  /// How the controller is reached.
  public enum Way: Equatable, Sendable {
    /// `virtual`: a controller on this user's virtual air.
    case virtual
    /// `unix:PATH[,user=NUMBER]`: a UNIX socket of this user, of root, or of the trusted user.
    case unix(trusted: UInt32?)
    /// `tcp-client:HOST:PORT`: a controller that listens on TCP.
    case tcpClient(port: UInt16)
    /// `tcp-server:HOST:PORT`: a controller that connects to us.
    case tcpServer(port: UInt16)
    /// `serial:DEVICE[,BAUD]`: a serial line, and its speed in bits a second.
    case serial(speed: UInt32)
    /// `hciN` or `hci-socket:N`: an adapter of this machine, for this program alone.
    case adapter(UInt16)
    /// `bluez:hciN`: an adapter of this machine that bluetoothd drives, beside other programs.
    case bluez(UInt16)
  }

  /// How the controller is reached.
  public var way: Way
  /// The path, the host or the device; empty for adapters and the virtual air.
  public var target: InlineCString<256>

  /// The virtual air.
  public static var virtual: RadioAddress { RadioAddress(.virtual) }

  /// Whether bluetoothd drives the adapter: it chooses addresses, and pairs.
  public var isBesideDaemon: Bool {
    if case .bluez = way { true } else { false }
  }

  /// The adapter hciN.
  public static func adapter(_ number: UInt16) -> RadioAddress { RadioAddress(.adapter(number)) }

  /// The default speed of a serial line, in bits a second.
  public static var defaultSpeed: UInt32 { 1_000_000 }

  /// The speeds of serial lines, in bits a second.
  public static var speeds: InlineArray<18, UInt32> {
    [
      9_600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 500_000, 576_000, 921_600,
      1_000_000, 1_152_000, 1_500_000, 2_000_000, 2_500_000, 3_000_000, 3_500_000, 4_000_000,
    ]
  }

  private init(_ way: Way) {
    self.way = way
    target = InlineCString()
  }

  /// A controller that is reached in this way. The first 255 bytes of its path, host or device count.
  package init(_ way: Way, at target: Span<UInt8>) {
    self.init(way)
    _ = self.target.assign(target.extracting(first: min(target.count, 255)))
  }

  /// Reads an address for a program that hosts no air and looks up no names, such as eightballd.
  ///
  /// - Throws: What was expected instead.
  public init(numeric text: Span<UInt8>) throws(RadioAddressError) {
    try self.init(text)
    if way == .virtual { throw .virtual }
    if needsLookup { throw .hostName }
  }

  /// Reads an address. A host may be a name; a trusted user is a number.
  ///
  /// - Throws: What was expected instead.
  public init(_ text: Span<UInt8>) throws(RadioAddressError) {
    self.init(.virtual)
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
      // A kind without its argument.
      if let form = Self.form(of: text) {
        guard form == .virtual else { throw form }
        return
      }
      guard text.begins(with: "hci") else { throw .anyForm }
      way = .adapter(try Self.adapterNumber(text, .adapter))
      return
    }
    let rest = text.extracting(droppingFirst: colon + 1)
    switch Self.form(of: text.extracting(first: colon)) {
    case .unix: try readUnix(rest)
    case .tcpClient: way = .tcpClient(port: try readHost(rest, .tcpClient))
    case .tcpServer: way = .tcpServer(port: try readHost(rest, .tcpServer))
    case .serial: try readSerial(rest)
    case .adapterSocket: way = .adapter(try Self.number(rest, .adapterSocket))
    case .bluez: way = .bluez(try Self.adapterNumber(rest, .bluez))
    default: throw .anyForm
    }
  }

  /// The form of names of this kind; `nil` if there is no such kind.
  private static func form(of kind: Span<UInt8>) -> RadioAddressError? {
    let forms: InlineArray<7, RadioAddressError> = [
      .unix, .tcpClient, .tcpServer, .serial, .adapterSocket, .bluez, .virtual,
    ]
    for index in forms.indices where kind.equals(forms[index].kind) { return forms[index] }
    return nil
  }

  private mutating func readUnix(_ text: Span<UInt8>) throws(RadioAddressError) {
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

  private mutating func readSerial(_ text: Span<UInt8>) throws(RadioAddressError) {
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
    _ text: Span<UInt8>, _ form: RadioAddressError
  ) throws(RadioAddressError) -> UInt16 {
    guard let colon = text.lastIndex(of: UInt8(ascii: ":")) else { throw form }
    let port = try Self.number(text.extracting(droppingFirst: colon + 1), form)
    guard port > 0 else { throw form }
    var host = text.extracting(first: colon)
    if host.count >= 2, host[0] == UInt8(ascii: "["), host[host.count - 1] == UInt8(ascii: "]") {
      host = host.extracting(1..<(host.count - 1))
    }
    try readTarget(host)
    return port
  }

  /// Whether its host is a name, which must be looked up.
  public var needsLookup: Bool {
    switch way {
    case .tcpClient: TCPAddress(target, 0, toListen: false) == nil
    case .tcpServer: TCPAddress(target, 0, toListen: true) == nil
    default: false
    }
  }

  private mutating func readTarget(_ text: Span<UInt8>) throws(RadioAddressError) {
    guard target.assign(text) else { throw .tooLong }
  }

  /// The number in hciN.
  private static func adapterNumber(
    _ text: Span<UInt8>, _ form: RadioAddressError
  ) throws(RadioAddressError) -> UInt16 {
    guard text.begins(with: "hci") else { throw form }
    return try number(text.extracting(droppingFirst: 3), form)
  }

  private static func number(
    _ text: Span<UInt8>, _ form: RadioAddressError
  ) throws(RadioAddressError) -> UInt16 {
    guard let number = text.unsignedNumber(upTo: 0xFFFF) else { throw form }
    return UInt16(truncatingIfNeeded: number)
  }
}

extension RadioAddress {
  /// Writes the address as the user would type it.
  public func write(to writer: inout ByteWriter) {
    switch way {
    case .virtual: writer.write(text: "virtual")
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
    case .bluez:
      writer.write(text: "bluez:")
      writeTarget(to: &writer)
    case .adapter: writeTarget(to: &writer)
    }
  }

  /// Writes the controller's name for messages: the path, HOST:PORT, the device, or hciN.
  package func writeTarget(to writer: inout ByteWriter) {
    switch way {
    case .unix, .serial: writer.write(start: target.span)
    case .tcpClient(let port), .tcpServer(let port):
      if target.count == 0 {
        writer.write(text: "localhost:")
        writer.write(decimal: UInt32(port))
      } else {
        writeHost(to: &writer, port)
      }
    case .adapter(let number), .bluez(let number):
      writer.write(text: "hci")
      writer.write(decimal: UInt32(number))
    case .virtual: write(to: &writer)
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
