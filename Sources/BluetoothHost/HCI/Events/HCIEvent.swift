/// An HCI event, which a controller writes and a host reads.
public protocol HCIEvent: Sendable {
  /// The event's code.
  static var code: HCIEventCode { get }

  /// Reads the parameters; `nil` if they are too short. It ignores further bytes: later versions of
  /// the specification append parameters to events.
  init?(_ reader: inout ByteReader)

  /// Writes the parameters.
  func writeParameters(to writer: inout ByteWriter)
}

extension HCIEvent {
  /// Reads an event's parameters from the bytes that follow its header.
  public init?(parameters: Span<UInt8>) {
    var reader = ByteReader(parameters)
    self.init(&reader)
  }

  /// Writes the whole packet, H4's type byte first.
  public func writePacket(to writer: inout ByteWriter) {
    writer.write(HCIPacketType.event.rawValue)
    writer.write(Self.code.rawValue)
    let lengthOffset = writer.count
    writer.write(UInt8(0))
    writeParameters(to: &writer)
    writer.patch(UInt8(truncatingIfNeeded: writer.count - lengthOffset - 1), at: lengthOffset)
  }
}

/// An LE Meta event, without its subevent byte: Core Specification, Vol 4, Part E, 7.7.65.
public protocol LEMetaEvent: Sendable {
  /// The LE Meta subevent.
  static var subevent: LEMetaSubevent { get }

  /// Writes the parameters after the subevent.
  func writeParameters(to writer: inout ByteWriter)
}

extension LEMetaEvent {
  /// Writes the whole packet, H4's type byte first.
  public func writePacket(to writer: inout ByteWriter) {
    writer.write(HCIPacketType.event.rawValue)
    writer.write(HCIEventCode.leMeta.rawValue)
    let lengthOffset = writer.count
    writer.write(UInt8(0))
    writer.write(Self.subevent.rawValue)
    writeParameters(to: &writer)
    writer.patch(UInt8(truncatingIfNeeded: writer.count - lengthOffset - 1), at: lengthOffset)
  }
}

/// A command has completed, or failed at once. Core Specification, Vol 4, Part E, 7.7.14. For most
/// commands the first return parameter is the status.
public struct CommandComplete: ~Escapable {
  /// How many commands the host may send now.
  public var commandCredits: UInt8
  /// The command; `HCIOpcode.none` if the event only gives credits.
  public var opcode: HCIOpcode
  /// The command's return parameters.
  public var returnParameters: Span<UInt8>

  /// Creates an event with these parameters.
  @_lifetime(copy returnParameters) public init(
    commandCredits: UInt8, opcode: HCIOpcode, returnParameters: Span<UInt8>
  ) {
    self.commandCredits = commandCredits
    self.opcode = opcode
    self.returnParameters = returnParameters
  }

  /// Reads an event's parameters.
  @_lifetime(copy parameters) public init?(parameters: Span<UInt8>) {
    var reader = ByteReader(parameters)
    guard let credits = reader.readUInt8(), let opcode = reader.readUInt16() else { return nil }
    self.init(
      commandCredits: credits, opcode: HCIOpcode(rawValue: opcode),
      returnParameters: reader.readRemaining())
  }

  /// Writes the whole packet, H4's type byte first.
  public func writePacket(to writer: inout ByteWriter) {
    writer.write(HCIPacketType.event.rawValue)
    writer.write(HCIEventCode.commandComplete.rawValue)
    writer.write(UInt8(truncatingIfNeeded: 3 + returnParameters.count))
    writer.write(commandCredits)
    writer.write(opcode.rawValue)
    writer.write(returnParameters)
  }
}

/// A command has begun, and another event reports its end; or it failed:
/// Core Specification, Vol 4, Part E, 7.7.15.
public struct CommandStatus: HCIEvent, Equatable {
  /// The event's code.
  public static let code = HCIEventCode.commandStatus

  /// `success` if the command has begun.
  public var status: HCIErrorCode
  /// How many commands the host may send now.
  public var commandCredits: UInt8
  /// The command; `HCIOpcode.none` if the event only gives credits.
  public var opcode: HCIOpcode

  /// Creates an event with these parameters.
  public init(status: HCIErrorCode, commandCredits: UInt8, opcode: HCIOpcode) {
    self.status = status
    self.commandCredits = commandCredits
    self.opcode = opcode
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let status = reader.readUInt8(), let credits = reader.readUInt8(),
      let opcode = reader.readUInt16()
    else { return nil }
    self.status = HCIErrorCode(rawValue: status)
    commandCredits = credits
    self.opcode = HCIOpcode(rawValue: opcode)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(status.rawValue)
    writer.write(commandCredits)
    writer.write(opcode.rawValue)
  }
}

/// The controller has sent ACL packets, and has room for as many more.
/// Core Specification, Vol 4, Part E, 7.7.19. Read one link at a time: call `next()` until `nil`.
public struct NumberOfCompletedPackets: ~Escapable {
  private var reader: ByteReader
  private var remaining: Int

  /// Reads an event's parameters; `nil` if they are too short for the number of links.
  @_lifetime(copy parameters) public init?(parameters: Span<UInt8>) {
    var reader = ByteReader(parameters)
    guard let links = reader.readUInt8(), reader.count >= Int(links) * 4 else { return nil }
    self.reader = reader
    remaining = Int(links)
  }

  /// The next link, and how many of its packets were sent.
  public mutating func next() -> (handle: ConnectionHandle, count: UInt16)? {
    guard remaining > 0, let handle = ConnectionHandle(&reader), let count = reader.readUInt16()
    else { return nil }
    remaining -= 1
    return (handle, count)
  }

  /// Writes a whole packet about one link, H4's type byte first.
  public static func writePacket(
    handle: ConnectionHandle, count: UInt16, to writer: inout ByteWriter
  ) {
    writer.write(HCIPacketType.event.rawValue)
    writer.write(HCIEventCode.numberOfCompletedPackets.rawValue)
    writer.write(UInt8(1 + 2 + 2))
    writer.write(UInt8(1))
    writer.write(handle.rawValue)
    writer.write(count)
  }
}
