import BluetoothHost

/// Answers to commands, and events that the host's masks allow.
extension VirtualController {
  /// How many commands a host may send before the first is answered.
  private var commandCredits: UInt8 { 1 }

  /// Command Complete with success and what `body` writes.
  func succeed(_ opcode: HCIOpcode, _ body: (inout ByteWriter) -> Void = { _ in }) {
    complete(opcode, .success, body)
  }

  /// Command Complete with success and the handle, and what `body` writes.
  func succeed(
    _ opcode: HCIOpcode, _ handle: ConnectionHandle, _ body: (inout ByteWriter) -> Void = { _ in }
  ) {
    complete(opcode, .success) { writer in
      writer.write(handle.rawValue)
      body(&writer)
    }
  }

  /// Command Status with success: another event follows, now or later.
  func accept(_ opcode: HCIOpcode) {
    emit(CommandStatus(status: .success, commandCredits: commandCredits, opcode: opcode))
  }

  /// The answer of this command with an error, and zeros for its other parameters. An unknown
  /// command gets Command Status with Unknown HCI Command.
  func refuse(_ opcode: HCIOpcode, _ status: HCIErrorCode, _ parameters: Span<UInt8>) {
    let declaration = configuration.declaration(of: opcode)
    let status = declaration == nil ? .unknownCommand : status
    switch declaration?.answer {
    case .status?, nil:
      emit(CommandStatus(status: status, commandCredits: commandCredits, opcode: opcode))
    case .complete(let length)?:
      complete(opcode, status) { writer in for _ in 0..<length { writer.write(UInt8(0)) } }
    case .completeWithHandle(let length)?:
      var reader = ByteReader(parameters)
      let handle = reader.readUInt16() ?? 0
      complete(opcode, status) { writer in
        writer.write(handle)
        for _ in 0..<length { writer.write(UInt8(0)) }
      }
    }
  }

  private func complete(
    _ opcode: HCIOpcode, _ status: HCIErrorCode, _ body: (inout ByteWriter) -> Void
  ) {
    emitEvent(.commandComplete) { writer in
      writer.write(commandCredits)
      writer.write(opcode.rawValue)
      writer.write(status.rawValue)
      body(&writer)
    }
  }

  // MARK: Events

  /// Queues an event, if the host's event mask enables it.
  func emit(_ event: some HCIEvent) {
    emitEvent(type(of: event).code) { event.writeParameters(to: &$0) }
  }

  /// Queues an LE event, if both of the host's masks enable it.
  func emit(_ event: some LEMetaEvent) {
    emitLEEvent(type(of: event).subevent) { event.writeParameters(to: &$0) }
  }

  /// Queues an LE event, if both of the host's masks enable it. `body` writes its parameters.
  func emitLEEvent(
    _ subevent: LEMetaSubevent, isReport: Bool = false, _ body: (inout ByteWriter) -> Void
  ) {
    guard allows(subevent) else { return }
    emitEvent(.leMeta, isReport: isReport) { writer in
      writer.write(subevent.rawValue)
      body(&writer)
    }
  }

  /// Queues an event, if the host's event mask enables it. `body` writes its parameters.
  func emitEvent(_ code: HCIEventCode, isReport: Bool = false, _ body: (inout ByteWriter) -> Void) {
    guard allows(code) else { return }
    var packet = ByteBuffer<258>()
    packet.write { writer in
      writer.write(HCIPacketType.event.rawValue)
      writer.write(code.rawValue)
      writer.write(UInt8(0))
      body(&writer)
      writer.patch(UInt8(truncatingIfNeeded: writer.count - 3), at: 2)
    }
    outgoing.append(packet.span, isReport: isReport)
    onPacket?()
  }

  /// Whether both masks enable the LE event.
  func allows(_ subevent: LEMetaSubevent) -> Bool {
    allows(.leMeta) && state.leEventMask & subevent.mask != 0
  }

  /// Whether the event mask enables the event. An event without a bit is always enabled.
  private func allows(_ code: HCIEventCode) -> Bool {
    code.mask == 0 || state.eventMask & code.mask != 0
  }
}
