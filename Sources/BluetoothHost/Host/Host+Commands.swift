// Which command the controller is given next.
extension Host where Database: ~Copyable, Application: ~Copyable {
  /// Writes the next command; `false` if none is owed.
  mutating func nextCommand(into writer: inout ByteWriter, at now: Instant) -> Bool {
    let opcode: HCIOpcode?
    switch controller.phase {
    case .off:
      opcode = nil
    case .starting(let step):
      opcode = writeStartUp(step, into: &writer)
    case .ready:
      opcode = writeLinkCommand(into: &writer, at: now) ?? writeAdvertisingCommand(into: &writer)
    }
    guard let opcode else {
      controller.owesCommands = false
      return false
    }
    commands.send(opcode, at: now)
    return true
  }

  private mutating func writeStartUp(
    _ step: StartUpStep, into writer: inout ByteWriter
  ) -> HCIOpcode? {
    switch step {
    case .reset:
      return write(PlainCommand(.reset), into: &writer)
    case .readAddress:
      return write(PlainCommand(.readBDADDR), into: &writer)
    case .setEventMask:
      // Bit 4, Disconnection Complete; 7, Encryption Change; 15, Hardware Error; 61, LE Meta.
      // Core Specification, Vol 4, Part E, 7.3.1.
      return write(SetEventMask(mask: 0x2000_0000_0000_8090), into: &writer)
    case .setLEEventMask:
      // Subevents 0x01, 0x03, 0x05, 0x06, 0x07, 0x0A and 0x0C. Vol 4, Part E, 7.8.1.
      return write(LESetEventMask(mask: 0x0000_0000_0000_0A75), into: &writer)
    case .readLEBufferSize:
      return write(PlainCommand(.leReadBufferSize), into: &writer)
    case .readBufferSize:
      return write(PlainCommand(.readBufferSize), into: &writer)
    case .readLEFeatures:
      return write(PlainCommand(.leReadLocalSupportedFeatures), into: &writer)
    case .setRandomAddress:
      return write(LESetRandomAddress(controller.address), into: &writer)
    case .setAdvertisingParameters:
      return writeAdvertisingParameters(into: &writer)
    case .setAdvertisingData:
      return writeAdvertisingData(into: &writer)
    case .setScanResponseData:
      return writeScanResponseData(into: &writer)
    }
  }

  private func writeAdvertisingParameters(into writer: inout ByteWriter) -> HCIOpcode {
    write(
      LESetAdvertisingParameters(
        minimumInterval: configuration.advertisingInterval.lowerBound,
        maximumInterval: configuration.advertisingInterval.upperBound,
        ownAddressType: controller.address.kind.rawValue), into: &writer)
  }

  private mutating func writeAdvertisingData(into writer: inout ByteWriter) -> HCIOpcode {
    controller.owesAdvertisingData = false
    return write(
      LESetAdvertisingData(advertisement?.data ?? AdvertisingData()), into: &writer)
  }

  private mutating func writeScanResponseData(into writer: inout ByteWriter) -> HCIOpcode {
    controller.owesScanResponseData = false
    return write(
      LESetScanResponseData(advertisement?.scanResponse ?? AdvertisingData()), into: &writer)
  }

  /// What some link is owed.
  private mutating func writeLinkCommand(
    into writer: inout ByteWriter, at now: Instant
  ) -> HCIOpcode? {
    for place in 0..<places {
      guard let handle = connections[place].handle else { continue }
      if let reason = connections[place].disconnectReason {
        guard connections[place].closeDeadline == nil else { continue }
        // The link ends with the peer's acknowledgement, or with its supervision time-out.
        connections[place].closeDeadline = now.advanced(
          by: connections[place].supervisionTimeout + 2 * CommandFlow.patience)
        controller.closing = handle
        return write(Disconnect(handle: handle, reason: reason), into: &writer)
      }
      if connections[place].owesKeyRefusal {
        connections[place].owesKeyRefusal = false
        return write(LELongTermKeyRequestNegativeReply(handle: handle), into: &writer)
      }
      if let reply = connections[place].owedParameterReply {
        connections[place].owedParameterReply = nil
        switch reply {
        case .accepted(let parameters):
          return write(
            LERemoteConnectionParameterRequestReply(handle: handle, parameters: parameters),
            into: &writer)
        case .refused:
          return write(
            LERemoteConnectionParameterRequestNegativeReply(
              handle: handle, reason: .unacceptableConnectionParameters), into: &writer)
        }
      }
      if connections[place].owesCheck {
        connections[place].owesCheck = false
        controller.checking = handle
        return write(ReadRSSI(handle: handle), into: &writer)
      }
      if connections[place].owesDataLength {
        connections[place].owesDataLength = false
        return write(
          LESetDataLength(handle: handle, transmitOctets: 251, transmitTime: 2_120),
          into: &writer)
      }
      if connections[place].owesPHY {
        connections[place].owesPHY = false
        return write(
          LESetPHY(handle: handle, allPHYs: 0, transmitPHYs: 0b10, receivePHYs: 0b10, options: 0),
          into: &writer)
      }
    }
    if let unknown = controller.unknownLinks.takeDue() {
      forgetEarly(unknown)
      controller.closing = unknown
      return write(
        Disconnect(handle: unknown, reason: .remoteUserTerminatedConnection), into: &writer)
    }
    return nil
  }

  /// Advertising is on while there is something to advertise and a place is free. What is
  /// advertised may change while it is on. Core Specification, Vol 4, Part E, 7.8.7.
  private mutating func writeAdvertisingCommand(into writer: inout ByteWriter) -> HCIOpcode? {
    if controller.doubtsAdvertising {
      // Over as soon as advertising is known to be off; then it is turned on if it should be.
      controller.doubtsAdvertising = false
      if controller.isAdvertising {
        controller.requestedAdvertising = false
        return write(LESetAdvertisingEnable(false), into: &writer)
      }
    }
    let wanted =
      advertisement != nil && !controller.isShuttingDown && !isAdvertisingHeldBack
    if wanted, controller.owesAdvertisingData { return writeAdvertisingData(into: &writer) }
    if wanted, controller.owesScanResponseData { return writeScanResponseData(into: &writer) }
    guard wanted != controller.isAdvertising else {
      guard controller.owesAdvertisingCheck else { return nil }
      controller.owesAdvertisingCheck = false
      return writeAdvertisingParameters(into: &writer)
    }
    controller.owesAdvertisingCheck = false
    controller.requestedAdvertising = wanted
    return write(LESetAdvertisingEnable(wanted), into: &writer)
  }

  private func write<Command: HCICommand>(
    _ command: Command, into writer: inout ByteWriter
  ) -> HCIOpcode {
    command.writePacket(to: &writer)
    return Command.opcode
  }

  private func write(_ command: PlainCommand, into writer: inout ByteWriter) -> HCIOpcode {
    command.writePacket(to: &writer)
    return command.opcode
  }
}
