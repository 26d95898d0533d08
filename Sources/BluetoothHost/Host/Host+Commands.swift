// Selects the next command for the controller.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// Writes the next command; `false` if none is pending.
  mutating func nextCommand(into writer: inout ByteWriter, at now: Instant) -> Bool {
    let opcode: HCIOpcode?
    switch controller.phase {
    case .off: opcode = nil
    case .starting(let step): opcode = writeStartUp(step, into: &writer)
    case .ready:
      opcode =
        writeLinkCommand(into: &writer, at: now)
        ?? (Security.isPresent ? writeRandomCommand(into: &writer) : nil)
        ?? (Security.isPresent ? writePrivacyCommand(into: &writer, at: now) : nil)
        ?? (Client.isPresent ? writeInitiatorCommand(into: &writer, at: now) : nil)
        ?? (Client.Scanner.isExtended ? writeSubrateCommand(into: &writer) : nil)
        ?? (Client.Scanner.isPeriodic ? clientRole.scanner.writeCommand(into: &writer) : nil)
        ?? (Server.isPresent ? writeAdvertisingCommand(into: &writer) : nil)
    }
    guard let opcode else {
      controller.mayHaveCommands = false
      return false
    }
    commands.send(opcode, at: now)
    return true
  }

  private mutating func writeStartUp(_ step: StartUpStep, into writer: inout ByteWriter)
    -> HCIOpcode?
  {
    switch step {
    case .reset: return write(PlainCommand(.reset), into: &writer)
    case .readAddress: return write(PlainCommand(.readBDADDR), into: &writer)
    case .setEventMask:
      var mask =
        HCIEventCode.disconnectionComplete.mask | HCIEventCode.encryptionChange.mask
        | HCIEventCode.hardwareError.mask | HCIEventCode.leMeta.mask
      if Security.isPresent { mask |= HCIEventCode.encryptionKeyRefreshComplete.mask }
      return write(SetEventMask(mask: mask), into: &writer)
    case .setLEEventMask:
      var mask =
        LEMetaSubevent.connectionComplete.mask | LEMetaSubevent.connectionUpdateComplete.mask
        | LEMetaSubevent.longTermKeyRequest.mask
        | LEMetaSubevent.remoteConnectionParameterRequest.mask
        | LEMetaSubevent.dataLengthChange.mask | LEMetaSubevent.enhancedConnectionComplete.mask
        | LEMetaSubevent.phyUpdateComplete.mask
      if Self.isExtended {
        mask |= LEMetaSubevent.advertisingSetTerminated.mask | LEMetaSubevent.subrateChange.mask
      }
      if Client.isPresent {
        mask |=
          LEMetaSubevent.advertisingReport.mask | LEMetaSubevent.extendedAdvertisingReport.mask
      }
      if Client.Scanner.isPeriodic {
        mask |=
          LEMetaSubevent.periodicAdvertisingSyncEstablished.mask
          | LEMetaSubevent.periodicAdvertisingReport.mask
          | LEMetaSubevent.periodicAdvertisingSyncLost.mask
      }
      return write(LESetEventMask(mask: mask), into: &writer)
    case .readLEBufferSize: return write(PlainCommand(.leReadBufferSize), into: &writer)
    case .readBufferSize: return write(PlainCommand(.readBufferSize), into: &writer)
    case .readLEFeatures: return write(PlainCommand(.leReadLocalSupportedFeatures), into: &writer)
    case .setHostFeature:
      guard Self.isExtended else { return nil }
      return write(
        LESetHostFeature(bit: LESetHostFeature.connectionSubrating, value: 1), into: &writer)
    case .setRandomAddress: return write(LESetRandomAddress(controller.address), into: &writer)
    case .setAdvertisingParameters:
      return Server.isPresent ? writeAdvertisingParameters(into: &writer) : nil
    case .setAdvertisingData: return Server.isPresent ? writeAdvertisingData(into: &writer) : nil
    case .setScanResponseData: return Server.isPresent ? writeScanResponseData(into: &writer) : nil
    }
  }

  func writeAdvertisingParameters(into writer: inout ByteWriter) -> HCIOpcode {
    write(
      LESetAdvertisingParameters(
        minimumInterval: configuration.advertisingInterval.lowerBound,
        maximumInterval: configuration.advertisingInterval.upperBound,
        ownAddressType: controller.address.kind.rawValue,
        // 0x02: the controller answers every scan request, and accepts connections only from
        // devices in the filter accept list.
        filterPolicy: Security.isPresent && securityRole.filtersConnections ? 0x02 : 0x00),
      into: &writer)
  }

  private mutating func writeAdvertisingData(into writer: inout ByteWriter) -> HCIOpcode {
    serverRole.advertiser.isAdvertisingDataPending = false
    return write(LESetAdvertisingData(serverRole.advertiser.content.data), into: &writer)
  }

  private mutating func writeScanResponseData(into writer: inout ByteWriter) -> HCIOpcode {
    serverRole.advertiser.isScanResponseDataPending = false
    return write(LESetScanResponseData(serverRole.advertiser.content.scanResponse), into: &writer)
  }

  /// Writes the next pending command of a link.
  private mutating func writeLinkCommand(into writer: inout ByteWriter, at now: Instant)
    -> HCIOpcode?
  {
    for index in 0..<links {
      guard let handle = connections[index].handle else { continue }
      if let reason = connections[index].disconnectReason {
        guard connections[index].timers[.close] == nil else { continue }
        // The link ends with the peer's acknowledgement, or with its supervision timeout.
        connections[index].timers[.close] = now.advanced(
          by: connections[index].supervisionTimeout + 2 * CommandFlow.timeout)
        noteTimers(of: index)
        controller.closing = handle
        return write(Disconnect(handle: handle, reason: reason), into: &writer)
      }
      if Security.isPresent {
        if let opcode = writeKeyCommand(handle, at: index, into: &writer, at: now) { return opcode }
      } else if connections[index].isNegativeKeyReplyPending {
        connections[index].isNegativeKeyReplyPending = false
        return write(LELongTermKeyRequestNegativeReply(handle: handle), into: &writer)
      }
      if let reply = connections[index].pendingParameterReply {
        connections[index].pendingParameterReply = nil
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
      if let parameters = connections[index].pendingParameters {
        connections[index].pendingParameters = nil
        return write(LEConnectionUpdate(handle: handle, parameters: parameters), into: &writer)
      }
      if connections[index].isCheckPending || connections[index].isRSSIPending {
        connections[index].isCheckPending = false
        controller.checking = handle
        return write(ReadRSSI(handle: handle), into: &writer)
      }
      if connections[index].isDataLengthPending {
        connections[index].isDataLengthPending = false
        return write(
          LESetDataLength(handle: handle, transmitOctets: 251, transmitTime: 2_120), into: &writer)
      }
      if connections[index].isPHYPending {
        connections[index].isPHYPending = false
        return write(
          LESetPHY(
            handle: handle, allPHYs: 0, transmitPHYs: linkPHYs(at: index).rawValue,
            receivePHYs: linkPHYs(at: index).rawValue, options: 0), into: &writer)
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

  /// Writes LE Rand if pairing still needs random numbers for its seed; `nil` otherwise.
  private func writeRandomCommand(into writer: inout ByteWriter) -> HCIOpcode? {
    securityRole.needsRandomNumber ? write(PlainCommand(.leRand), into: &writer) : nil
  }

  /// Writes the next advertising command; `nil` if none is needed. Advertising is on while there is
  /// something to advertise and a connection is free. Its data may change while it is on.
  /// Core Specification, Vol 4, Part E, 7.8.7.
  private mutating func writeAdvertisingCommand(into writer: inout ByteWriter) -> HCIOpcode? {
    if isExtended { return writeSetCommand(into: &writer) }
    if serverRole.advertiser.isAdvertisingUncertain {
      // Disable first; then the state is known, and advertising is enabled again if wanted.
      serverRole.advertiser.isAdvertisingUncertain = false
      if serverRole.advertiser.isAdvertising {
        serverRole.advertiser.requestedAdvertising = false
        return write(LESetAdvertisingEnable(false), into: &writer)
      }
    }
    let wanted = wantsAdvertising
    if Security.isPresent, wanted, serverRole.advertiser.areParametersPending {
      serverRole.advertiser.areParametersPending = false
      return writeAdvertisingParameters(into: &writer)
    }
    if wanted, serverRole.advertiser.isAdvertisingDataPending {
      return writeAdvertisingData(into: &writer)
    }
    if wanted, serverRole.advertiser.isScanResponseDataPending {
      return writeScanResponseData(into: &writer)
    }
    guard wanted != serverRole.advertiser.isAdvertising else {
      guard serverRole.advertiser.isCheckPending else { return nil }
      serverRole.advertiser.isCheckPending = false
      return writeAdvertisingParameters(into: &writer)
    }
    serverRole.advertiser.isCheckPending = false
    serverRole.advertiser.requestedAdvertising = wanted
    return write(LESetAdvertisingEnable(wanted), into: &writer)
  }

  /// Whether the controller should advertise.
  @inline(__always) var wantsAdvertising: Bool {
    hasAdvertisement && !controller.isShuttingDown && !isAdvertisingHeldBack
  }

  func write<Command: HCICommand>(_ command: Command, into writer: inout ByteWriter) -> HCIOpcode {
    command.writePacket(to: &writer)
    return Command.opcode
  }

  func write(_ command: PlainCommand, into writer: inout ByteWriter) -> HCIOpcode {
    command.writePacket(to: &writer)
    return command.opcode
  }
}
