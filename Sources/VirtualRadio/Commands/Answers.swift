import BluetoothHost

/// Answers to commands, and events that the host's masks allow.
extension VirtualController {
  /// How many commands a host may send before the first is answered.
  private var commandCredits: UInt8 { 1 }

  /// Command Complete with success and what `body` writes.
  func succeed(_ command: CommandDefinition, _ body: (inout ByteWriter) -> Void = { _ in }) {
    complete(command, .success, body)
  }

  /// Command Complete with success and the handle, and what `body` writes.
  func succeed(
    _ command: CommandDefinition, _ handle: ConnectionHandle,
    _ body: (inout ByteWriter) -> Void = { _ in }
  ) {
    complete(command, .success) { writer in
      writer.write(handle.rawValue)
      body(&writer)
    }
  }

  /// Command Status with success: another event follows, now or later.
  func accept(_ command: CommandDefinition) {
    emit(
      CommandStatus(
        status: .success, commandCredits: commandCredits,
        opcode: HCIOpcode(rawValue: command.opcode)))
  }

  /// The answer of this command with an error, and zeros for its other parameters.
  func refuse(
    _ command: CommandDefinition, _ status: HCIErrorCode, _ parameters: Span<UInt8>
  ) {
    switch command.answer {
    case .status:
      emit(
        CommandStatus(
          status: status, commandCredits: commandCredits,
          opcode: HCIOpcode(rawValue: command.opcode)))
    case .complete(let length):
      complete(command, status) { writer in
        for _ in 0..<length { writer.write(UInt8(0)) }
      }
    case .completeWithHandle(let length):
      var reader = ByteReader(parameters)
      let handle = reader.readUInt16() ?? 0
      complete(command, status) { writer in
        writer.write(handle)
        for _ in 0..<length { writer.write(UInt8(0)) }
      }
    }
  }

  /// Command Status with Unknown HCI Command.
  func refuseUnknown(_ opcode: HCIOpcode) {
    emit(CommandStatus(status: .unknownCommand, commandCredits: commandCredits, opcode: opcode))
  }

  private func complete(
    _ command: CommandDefinition, _ status: HCIErrorCode, _ body: (inout ByteWriter) -> Void
  ) {
    emitEvent(.commandComplete) { writer in
      writer.write(commandCredits)
      writer.write(command.opcode)
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
  func emitEvent(
    _ code: HCIEventCode, isReport: Bool = false, _ body: (inout ByteWriter) -> Void
  ) {
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
    guard allows(.leMeta), (1...64).contains(subevent.rawValue) else { return false }
    return state.leEventMask & (1 &<< UInt64(subevent.rawValue - 1)) != 0
  }

  /// Core Specification, Vol 4, Part E, 7.3.1: the bit of each event. The three that answer
  /// commands and packets have no bit.
  private func allows(_ code: HCIEventCode) -> Bool {
    let bit: UInt64? =
      switch code {
      case .disconnectionComplete: 4
      case .encryptionChange: 7
      case .readRemoteVersionInformationComplete: 11
      case .hardwareError: 15
      case .encryptionKeyRefreshComplete: 47
      case .leMeta: 61
      default: nil
      }
    guard let bit else { return true }
    return state.eventMask & (1 &<< bit) != 0
  }
}
