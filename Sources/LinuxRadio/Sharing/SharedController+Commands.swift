import BluetoothHost

// What goes to the controller.
extension SharedController where First: ~Copyable, Second: ~Copyable {
  /// Writes what has been waiting: what is to be undone, a command that was held back, or data.
  mutating func writeOwed(into writer: inout ByteWriter, at now: Instant) -> Bool {
    if turn.isFree {
      if writeUndoing(into: &writer, at: now) { return true }
      for half in inTurn {
        if answerReset(of: half, into: &writer, at: now) { return true }
      }
      for half in inTurn where !halves[half].heldCommand.isEmpty {
        let command = halves[half].heldCommand
        halves[half].heldCommand = []
        if pass(command.span, from: half, into: &writer, at: now) {
          nextHalf = half.other
          return true
        }
      }
    }
    return writeBacklog(into: &writer)
  }

  /// Passes on a packet of a half; `false` if it was kept, or dealt with here.
  mutating func pass(
    _ packet: Span<UInt8>, from half: SharedHalf, into writer: inout ByteWriter, at now: Instant
  ) -> Bool {
    switch HCIPacket(packet) {
    case .acl(let header, _):
      return passData(packet, on: header.handle, from: half, into: &writer)
    case .command(let opcode, let parameters):
      guard mayCommand(half) else {
        halves[half].heldCommand = packet.indices.map { packet[$0] }
        return false
      }
      return pass(opcode, parameters, packet, from: half, into: &writer, at: now)
    case .event, nil:
      // Nothing that this knows of, or that both could send.
      guard !isShared else { return false }
      writer.write(packet)
      return true
    }
  }

  /// Whether a command of a half may go now. One that sends another while its last is unanswered
  /// has given that up, or has been allowed several.
  private func mayCommand(_ half: SharedHalf) -> Bool {
    guard let outstanding = turn.outstanding else { return turn.isFree || !isShared }
    return outstanding.half == half
  }

  private mutating func pass(
    _ opcode: HCIOpcode, _ parameters: Span<UInt8>, _ packet: Span<UInt8>, from half: SharedHalf,
    into writer: inout ByteWriter, at now: Instant
  ) -> Bool {
    var reader = ByteReader(parameters)
    var handle: ConnectionHandle?
    switch opcode {
    case .reset:
      return reset(from: half, into: &writer, at: now)
    case .setEventMask:
      if let command = SetEventMask(&reader) {
        halves[half].eventMask = command.mask
        let all = command.mask | (halves[half.other].eventMask ?? 0)
        return send(opcode, from: half, at: now) {
          SetEventMask(mask: all).writePacket(to: &writer)
        }
      }
    case .leSetEventMask:
      if let command = LESetEventMask(&reader) {
        halves[half].leEventMask = command.mask
        let all = command.mask | (halves[half.other].leEventMask ?? 0)
        return send(opcode, from: half, at: now) {
          LESetEventMask(mask: all).writePacket(to: &writer)
        }
      }
    case .leSetRandomAddress:
      if let address = DeviceAddress(&reader, kind: .random) {
        guard randomAddress == nil || !isShared || !halves[half.other].isUp else {
          answer(opcode, .success, to: half, at: now)
          return false
        }
        randomAddress = address
      }
    case _ where opcode.isAboutLink:
      handle = ConnectionHandle(&reader)
      if isShared, let handle, let link = links[handle], link.half != half {
        answer(opcode, .unknownConnectionIdentifier, to: half, at: now)
        return false
      }
    default:
      note(opcode, &reader, from: half)
    }
    return send(opcode, about: handle, from: half, at: now) { writer.write(packet) }
  }

  /// Remembers what would have to be undone.
  private mutating func note(
    _ opcode: HCIOpcode, _ parameters: inout ByteReader, from half: SharedHalf
  ) {
    switch opcode {
    case .leSetAdvertisingEnable: halves[half].mayAdvertise = parameters.readUInt8() != 0
    case .leSetScanEnable: halves[half].mayScan = parameters.readUInt8() != 0
    case .leCreateConnection: halves[half].isConnecting = true
    default: break
    }
  }

  /// A command goes to the controller; until it is answered, nobody else may send one.
  private mutating func send(
    _ opcode: HCIOpcode, about handle: ConnectionHandle? = nil, from half: SharedHalf?,
    at now: Instant, _ write: () -> Void
  ) -> Bool {
    if let abandoned = turn.outstanding { giveUp(abandoned) }
    turn.take(CommandTurn.Command(half: half, opcode: opcode, handle: handle), at: now)
    write()
    for other in joined where other != half {
      tellCredits(0, other, at: now)
    }
    return true
  }

  /// Answers a command of a half in the controller's place.
  private mutating func answer(
    _ opcode: HCIOpcode, _ status: HCIErrorCode, to half: SharedHalf, at now: Instant
  ) {
    let credits: UInt8 = turn.isFree ? 1 : 0
    deliver(to: half, at: now) { writer in
      let returned: InlineArray<1, UInt8> = [status.rawValue]
      CommandComplete(commandCredits: credits, opcode: opcode, returnParameters: returned.span)
        .writePacket(to: &writer)
    }
  }

  // MARK: Reset

  /// A half begins anew. What the controller does for the other is left alone, if it can be.
  private mutating func reset(
    from half: SharedHalf, into writer: inout ByteWriter, at now: Instant
  ) -> Bool {
    guard isShared, halves[half.other].isUp, wasReset, !isSuspect else {
      return resetController(for: half, into: &writer, at: now)
    }
    setBack(half)
    halves[half].awaitsReset = true
    return writeOwed(into: &writer, at: now)
  }

  /// The controller is reset, and the other half must begin anew as well.
  private mutating func resetController(
    for half: SharedHalf, into writer: inout ByteWriter, at now: Instant
  ) -> Bool {
    let other = half.other
    let mustTell = isShared && halves[other].isUp
    let isWaiting = halves[other].awaitsReset
    let held = mustTell ? [] : halves[other].heldCommand
    forgetController()
    halves[other].awaitsReset = isWaiting
    halves[other].heldCommand = held
    isSuspect = false
    if mustTell {
      // 0: no code of the controller's maker, who knows nothing of it.
      deliver(to: other, at: now) { HardwareError(hardwareCode: 0).writePacket(to: &$0) }
    }
    return send(.reset, from: half, at: now) {
      PlainCommand(.reset).writePacket(to: &writer)
    }
  }

  /// Answers the Reset of a half for which all has been undone; or resets the controller for it
  /// after all, if that turned out to be needed, and gives `true`.
  private mutating func answerReset(
    of half: SharedHalf, into writer: inout ByteWriter, at now: Instant
  ) -> Bool {
    guard halves[half].awaitsReset else { return false }
    halves[half].awaitsReset = false
    guard wasReset, !isSuspect else { return resetController(for: half, into: &writer, at: now) }
    halves[half].isUp = true
    answer(.reset, .success, to: half, at: now)
    return false
  }

  /// Nothing is known of the controller any more, and it does nothing for anyone.
  mutating func forgetController() {
    links = SharedLinks()
    wasReset = false
    randomAddress = nil
    halves[.first].forgetController()
    halves[.second].forgetController()
  }

  // MARK: Undoing

  /// What the controller does for a half is to be undone.
  mutating func setBack(_ half: SharedHalf) {
    links.disown(half)
    halves[half].isUp = false
    halves[half].awaitsReset = false
    halves[half].mustBeUndone = true
    halves[half].eventMask = nil
    halves[half].leEventMask = nil
    halves[half].backlog = PacketBacklog()
  }

  /// Writes the next command that undoes something that nobody wants any longer.
  private mutating func writeUndoing(into writer: inout ByteWriter, at now: Instant) -> Bool {
    for half in inTurn where halves[half].mustBeUndone {
      if halves[half].isConnecting {
        halves[half].isConnecting = false
        return send(.leCreateConnectionCancel, from: nil, at: now) {
          PlainCommand(.leCreateConnectionCancel).writePacket(to: &writer)
        }
      }
      if halves[half].mayScan {
        halves[half].mayScan = false
        return send(.leSetScanEnable, from: nil, at: now) {
          LESetScanEnable(enable: 0, filterDuplicates: 0).writePacket(to: &writer)
        }
      }
      if halves[half].mayAdvertise {
        halves[half].mayAdvertise = false
        return send(.leSetAdvertisingEnable, from: nil, at: now) {
          LESetAdvertisingEnable(false).writePacket(to: &writer)
        }
      }
      halves[half].mustBeUndone = false
    }
    guard let handle = links.nextToEnd() else { return false }
    return send(.disconnect, about: handle, from: nil, at: now) {
      Disconnect(handle: handle, reason: .remoteUserTerminatedConnection)
        .writePacket(to: &writer)
    }
  }
}
