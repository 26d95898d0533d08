import BluetoothHost
import Expectations

/// Checks that a command or event is written as its bytes; with `read`, that it is read back from
/// them, is not read from fewer, and leaves further bytes unread.
private func check<Value: Equatable>(
  _ value: Value, packet: [UInt8], header: [UInt8], parameters: [UInt8],
  sourceLocation: SourceLocation, read: ((inout ByteReader) -> Value?)?
) {
  expect(packet, is: header + parameters, sourceLocation: sourceLocation)
  guard let read else { return }
  for cut in truncations(of: parameters) {
    var reader = ByteReader(cut.span)
    expect(read(&reader), is: nil, "\(cut.count) bytes", sourceLocation: sourceLocation)
  }
  let longer = parameters + [0xFF]
  var reader = ByteReader(longer.span)
  expect(read(&reader), is: value, sourceLocation: sourceLocation)
  expect(reader.count, is: 1, "as much is read as is written", sourceLocation: sourceLocation)
}

/// Checks that bytes are read as a value; that they are refused at every shorter length, except that
/// `shorter` has the values of some.
func expectRead<Value: Equatable>(
  _ bytes: [UInt8], as value: Value, shorter: [Int: Value] = [:],
  sourceLocation: SourceLocation = #_sourceLocation, by read: ([UInt8]) -> Value?
) {
  expect(read(bytes), is: value, sourceLocation: sourceLocation)
  for cut in truncations(of: bytes) {
    expect(read(cut), is: shorter[cut.count], "\(cut.count) bytes", sourceLocation: sourceLocation)
  }
}

extension Check {
  /// A command and its parameters.
  static func command<Command: HCICommand & Equatable>(
    _ command: Command, _ parameters: [UInt8], sourceLocation: SourceLocation = #_sourceLocation,
    read: (@Sendable (inout ByteReader) -> Command?)? = nil
  ) -> Check {
    Check("\(Command.self)") {
      check(
        command, packet: written { command.writePacket(to: &$0) },
        header: [0x01] + Array(little: Command.opcode.rawValue) + [UInt8(parameters.count)],
        parameters: parameters, sourceLocation: sourceLocation, read: read)
      let declaration = Command.opcode.declaration
      if declaration?.hasVariableLength == true {
        expect(
          declaration.map { $0.parameterLength <= parameters.count } ?? false,
          sourceLocation: sourceLocation)
      } else {
        expect(
          declaration?.parameterLength, is: parameters.count, sourceLocation: sourceLocation)
      }
    }
  }

  /// An event and its parameters.
  static func event<Event: HCIEvent & Equatable>(
    _ event: Event, _ parameters: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
  ) -> Check {
    Check("\(Event.self)") {
      check(
        event, packet: written { event.writePacket(to: &$0) },
        header: [0x04, Event.code.rawValue, UInt8(parameters.count)],
        parameters: parameters, sourceLocation: sourceLocation
      ) { Event(&$0) }
      expect(Event(parameters: parameters.span), is: event, sourceLocation: sourceLocation)
    }
  }

  /// An LE Meta event and its parameters after the subevent.
  static func leEvent<Event: LEMetaEvent & Equatable>(
    _ event: Event, _ parameters: [UInt8], sourceLocation: SourceLocation = #_sourceLocation,
    read: (@Sendable (inout ByteReader) -> Event?)? = nil
  ) -> Check {
    Check("\(Event.self)") {
      check(
        event, packet: written { event.writePacket(to: &$0) },
        header: [0x04, 0x3E, UInt8(1 + parameters.count), Event.subevent.rawValue],
        parameters: parameters, sourceLocation: sourceLocation, read: read)
    }
  }
}
