import BluetoothHost
import LinuxSystem

/// What has been read and not yet been handed on as packets.
final class RadioInput {
  private var decoder = H4StreamDecoder<2_053>()
  private var bytes = [UInt8](repeating: 0, count: 4_096)
  private var consumed = 0
  private var filled = 0
  /// Whether no packet has come yet.
  private var isFirst = true

  /// Forgets everything.
  func reset() {
    decoder.reset()
    isFirst = true
    consumed = 0
    filled = 0
  }

  /// Hands the next packet to `sinks` and to `program`; `false` if none is whole yet.
  ///
  /// - Throws: Why there will be none any more.
  func deliver<Program: RadioProgram & ~Copyable>(
    from connection: RadioConnection, _ name: RadioName, to program: inout Program,
    _ sinks: [any PacketSink], at now: Instant
  ) throws(RadioError) -> Bool {
    while true {
      if consumed == filled, try !fill(from: connection, name) { return false }
      if connection.isPacketwise {
        // Of an adapter, a read is a packet.
        Self.deliver(
          bytes.span.extracting(consumed..<filled), to: &program, sinks, at: now)
        consumed = filled
        return true
      }
      if try decode(name, to: &program, sinks, at: now) { return true }
    }
  }

  private func decode<Program: RadioProgram & ~Copyable>(
    _ name: RadioName, to program: inout Program, _ sinks: [any PacketSink], at now: Instant
  ) throws(RadioError) -> Bool {
    var reader = ByteReader(bytes.span.extracting(consumed..<filled))
    defer { consumed = filled - reader.count }
    switch decoder.next(from: &reader) {
    case .packet(let packet):
      if isFirst {
        isFirst = false
        if Self.saysFull(packet) {
          for sink in sinks { sink.note(packet, .received) }
          throw .airIsFull(name)
        }
      }
      Self.deliver(packet, to: &program, sinks, at: now)
      return true
    case .incomplete, .tooLong:
      // One that is too long is none that a host asks for: nobody waits for it.
      return false
    case .lostSync(let byte):
      throw RadioError(
        "\(name) sent \(PacketDescription.hexadecimal(byte)) where a packet begins",
        remedy: "Does it speak H4, and at this speed?")
    }
  }

  /// Whether a packet refuses Reset with the error Connection Rejected due to Limited Resources, as
  /// an `AirServer` does when it has no room. No controller has another reason to.
  private static func saysFull(_ packet: Span<UInt8>) -> Bool {
    guard case .event(.commandComplete, let parameters)? = HCIPacket(packet) else { return false }
    guard let event = CommandComplete(parameters: parameters), event.opcode == .reset else {
      return false
    }
    var reader = ByteReader(event.returnParameters)
    return reader.readUInt8() == HCIErrorCode.rejectedDueToLimitedResources.rawValue
  }

  private static func deliver<Program: RadioProgram & ~Copyable>(
    _ packet: Span<UInt8>, to program: inout Program, _ sinks: [any PacketSink], at now: Instant
  ) {
    for sink in sinks { sink.note(packet, .received) }
    program.receive(packet, at: now)
  }

  /// Reads into the empty buffer; `false` if there is nothing yet.
  private func fill(
    from connection: RadioConnection, _ name: RadioName
  ) throws(RadioError) -> Bool {
    guard connection.isReadable else { return false }
    consumed = 0
    filled = 0
    let result: FileDescriptor.ReadResult
    do throws(SystemError) {
      result = try connection.read(into: &bytes)
    } catch {
      throw RadioError(name, error)
    }
    switch result {
    case .bytes(let count):
      filled = count
      // A stream that gave less than it could has no more, and the loop tells when it has.
      connection.isReadable = connection.isPacketwise || count == bytes.count
      return true
    case .nothingYet:
      connection.isReadable = false
      return false
    case .end:
      throw RadioError("\(name) closed the connection")
    }
  }
}

/// The packet that is on its way out.
struct RadioOutput: ~Copyable {
  private var bytes = [UInt8](repeating: 0, count: Radio.longestPacket)
  private var length = 0
  private var written = 0

  /// The packet that `fill` has taken.
  var packet: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span.extracting(0..<length) }
  }

  /// Whether the packet is the command Reset.
  var isReset: Bool {
    guard case .command(.reset, _) = HCIPacket(packet) else { return false }
    return true
  }

  /// Forgets everything.
  mutating func reset() {
    length = 0
    written = 0
  }

  /// Writes the rest of the packet; whether there is none left.
  mutating func flush(to connection: RadioConnection) throws(SystemError) -> Bool {
    guard written < length else { return true }
    guard connection.isWritable else { return false }
    written += try connection.write(bytes.span.extracting(written..<length))
    return written == length
  }

  /// Takes the program's next packet; `false` if it has none.
  mutating func fill<Program: RadioProgram & ~Copyable>(
    from program: inout Program, at now: Instant
  ) -> Bool {
    reset()
    var writer = ByteWriter(bytes.mutableSpan)
    guard program.nextPacket(into: &writer, at: now), !writer.hasOverflowed else { return false }
    length = writer.count
    return true
  }
}
