import BluetoothHost

extension VirtualController {
  func performLink(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    guard let handle = ConnectionHandle(&reader), let end = link(handle) else {
      return .unknownConnectionIdentifier
    }
    switch opcode {
    case .disconnect:
      guard let reason = reader.readUInt8(), Self.disconnectReasons.contains(reason) else {
        return .invalidCommandParameters
      }
      accept(opcode)
      close(end, reason: HCIErrorCode(rawValue: reason))
    case .readRemoteVersionInformation:
      accept(opcode)
      // Out of range, only the end of the link follows.
      guard end.peer != nil else { return nil }
      emitEvent(.readRemoteVersionInformationComplete) { writer in
        writer.write(HCIErrorCode.success.rawValue)
        writer.write(handle.rawValue)
        writer.write(Self.coreVersion)
        writer.write(Self.company)
        writer.write(UInt16(0))
      }
    default:
      accept(opcode)
      guard let peer = end.peer?.controller else { return nil }
      emitLEEvent(.readRemoteFeaturesComplete) { writer in
        writer.write(HCIErrorCode.success.rawValue)
        writer.write(handle.rawValue)
        writer.write(peer.features)
      }
    }
    return nil
  }

  /// The reasons that a host may give. Core Specification, Vol 4, Part E, 7.1.6.
  private static let disconnectReasons: [UInt8] = [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B]

  // MARK: Ends

  /// Ends a link from this side. Reports it to both hosts, to the other one with `reason`.
  func close(
    _ end: LinkEnd, reason: HCIErrorCode, own: HCIErrorCode = .connectionTerminatedByLocalHost
  ) {
    let peer = end.peer
    end.events?.flush()
    finish(end, own)
    if let peer { peer.controller?.finish(peer, reason) }
  }

  /// Removes a link, and reports its end to this side's host.
  func finish(_ end: LinkEnd, _ reason: HCIErrorCode) {
    guard let index = links.firstIndex(where: { $0 === end }) else { return }
    links.remove(at: index)
    air?.linkEnded(of: self)
    end.peer?.peer = nil
    end.peer = nil
    emit(DisconnectionComplete(status: .success, handle: end.handle, reason: reason))
  }

  /// Ends every link from this side, with `reason` for the peers' hosts.
  func closeLinks(reason: HCIErrorCode) { for end in links { close(end, reason: reason) } }

  /// Removes every link without a report: the peers' links end by supervision timeout.
  func loseLinks() {
    guard let air else { return }
    for end in links { end.breakContact(at: air.now) }
    links.removeAll()
    air.linkEnded(of: self)
  }
}

/// Connection parameters and their updates.
extension VirtualController {
  func performUpdate(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    guard let handle = ConnectionHandle(&reader), let end = link(handle) else {
      return .unknownConnectionIdentifier
    }
    if opcode == .leRemoteConnectionParameterRequestNegativeReply {
      guard let reason = reader.readUInt8() else { return .invalidCommandParameters }
      guard end.isAskedForParameters else { return .commandDisallowed }
      end.isAskedForParameters = false
      succeed(opcode, handle)
      end.peer?.reportParameters(HCIErrorCode(rawValue: reason))
      return nil
    }
    // The request and the reply have the same parameters.
    guard let request = ConnectionParameters(&reader), let parameters = LinkParameters(request)
    else { return .invalidCommandParameters }
    if opcode == .leRemoteConnectionParameterRequestReply {
      guard end.isAskedForParameters else { return .commandDisallowed }
      end.isAskedForParameters = false
      succeed(opcode, handle)
      end.adopt(parameters, requestedBy: end.peer)
      return nil
    }
    accept(opcode)
    if end.role == .central {
      end.adopt(parameters, requestedBy: end)
    } else {
      ask(end, LERemoteConnectionParameterRequest(handle: handle, parameters: request))
    }
    return nil
  }

  /// Passes a peripheral's request to the central's host.
  private func ask(_ end: LinkEnd, _ request: LERemoteConnectionParameterRequest) {
    guard let central = end.peer, let controller = central.controller else { return }
    guard controller.allows(.remoteConnectionParameterRequest) else {
      // Core Specification, Vol 4, Part E, 7.7.65.6: a host that masks the event refuses all
      // requests.
      end.reportParameters(.unsupportedRemoteFeature)
      return
    }
    central.isAskedForParameters = true
    var request = request
    request.handle = central.handle
    controller.emit(request)
  }
}

extension LinkEnd {
  /// Sets the parameters on both sides. Always reports to the requesting host; to the other one
  /// only if they have changed.
  fileprivate func adopt(_ parameters: LinkParameters, requestedBy requester: LinkEnd?) {
    guard let peer else { return }
    let hasChanged = parameters != self.parameters
    for end in [self, peer] {
      end.parameters = parameters
      if hasChanged || end === requester { end.reportParameters(.success) }
    }
  }

  fileprivate func reportParameters(_ status: HCIErrorCode) {
    controller?.emit(
      LEConnectionUpdateComplete(
        status: status, handle: handle, interval: parameters.interval, latency: parameters.latency,
        supervisionTimeout: parameters.supervisionTimeout))
  }
}

/// Data length and PHY.
extension VirtualController {
  func performDataLength(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    switch opcode {
    case .leReadSuggestedDefaultDataLength:
      succeed(opcode) { state.suggestedDataLength.write(to: &$0) }
    case .leReadMaximumDataLength:
      succeed(opcode) { writer in
        DataLength.maximum.write(to: &writer)
        DataLength.maximum.write(to: &writer)
      }
    case .leWriteSuggestedDefaultDataLength:
      guard let suggested = DataLength(&reader) else { return .invalidCommandParameters }
      state.suggestedDataLength = suggested
      succeed(opcode)
    default:
      guard let handle = ConnectionHandle(&reader), let end = link(handle) else {
        return .unknownConnectionIdentifier
      }
      guard let request = DataLength(&reader) else { return .invalidCommandParameters }
      succeed(opcode, handle)
      requestDataLength(request, on: end)
    }
    return nil
  }

  /// Sets the data length that both sides support. Reports a change to both hosts.
  func requestDataLength(_ request: DataLength, on end: LinkEnd) {
    guard let peer = end.peer, let other = peer.controller,
      configuration.supportsDataLengthExtension, other.configuration.supportsDataLengthExtension
    else { return }
    let agreed = request.limited(to: .maximum)
    guard agreed != end.transmitDataLength else { return }
    end.transmitDataLength = agreed
    end.reportDataLength()
    peer.reportDataLength()
  }

  func performPHY(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    if opcode == .leSetDefaultPHY {
      guard let preference = PHYPreference(&reader) else { return .invalidCommandParameters }
      guard preference.isSupported(by: configuration) else {
        return .unsupportedFeatureOrParameterValue
      }
      state.preferredTransmitPHYs = preference.transmit
      state.preferredReceivePHYs = preference.receive
      succeed(opcode)
      return nil
    }
    guard let handle = ConnectionHandle(&reader), let end = link(handle) else {
      return .unknownConnectionIdentifier
    }
    if opcode == .leReadPHY {
      succeed(opcode, handle) { writer in
        writer.write(end.transmitPHY)
        writer.write(end.peer?.transmitPHY ?? end.transmitPHY)
      }
      return nil
    }
    guard let preference = PHYPreference(&reader) else { return .invalidCommandParameters }
    guard preference.isSupported(by: configuration) else {
      return .unsupportedFeatureOrParameterValue
    }
    accept(opcode)
    choosePHYs(end, preference)
    return nil
  }

  /// Chooses the fastest PHY that both sides prefer, for each direction. Always reports to the
  /// requesting host; to the other one only if a PHY has changed.
  private func choosePHYs(_ end: LinkEnd, _ preference: PHYPreference) {
    guard let peer = end.peer, let other = peer.controller else { return }
    let phys = (configuration.phys & other.configuration.phys).rawValue
    guard phys != PHYSet.le1M.rawValue else {
      end.reportPHY(.unsupportedRemoteFeature)
      return
    }
    let before = (end.transmitPHY, peer.transmitPHY)
    end.choosePHY(of: preference.transmit & other.state.preferredReceivePHYs & phys)
    peer.choosePHY(of: preference.receive & other.state.preferredTransmitPHYs & phys)
    end.reportPHY(.success)
    if before != (end.transmitPHY, peer.transmitPHY) { peer.reportPHY(.success) }
  }
}

/// The parameters of LE Set PHY and LE Set Default PHY, with "no preference" as all PHYs.
private struct PHYPreference {
  var transmit: UInt8
  var receive: UInt8

  /// `nil` if the host prefers no PHY, or one that is reserved for future use.
  init?(_ reader: inout ByteReader) {
    guard let all = reader.readUInt8(), let transmit = reader.readUInt8(),
      let receive = reader.readUInt8()
    else { return nil }
    self.transmit = all & 0b01 != 0 ? 0b111 : transmit
    self.receive = all & 0b10 != 0 ? 0b111 : receive
    guard self.transmit != 0, self.receive != 0, self.transmit <= 0b111, self.receive <= 0b111
    else { return nil }
  }

  /// Whether the controller has one of them, in each direction.
  func isSupported(by configuration: ControllerConfiguration) -> Bool {
    let phys = configuration.phys.rawValue
    return transmit & phys != 0 && receive & phys != 0
  }
}

extension DataLength {
  /// Reads the two values of a host's request; `nil` outside the specification's ranges.
  fileprivate init?(_ reader: inout ByteReader) {
    guard let octets = reader.readUInt16(), let time = reader.readUInt16(),
      (27...251).contains(octets), (328...17_040).contains(time)
    else { return nil }
    self.init(octets: octets, time: time)
  }

  fileprivate func write(to writer: inout ByteWriter) {
    writer.write(octets)
    writer.write(time)
  }
}

extension LinkEnd {
  /// Chooses 2M before 1M before coded; with none, the PHY stays.
  fileprivate func choosePHY(of preferences: UInt8) {
    if preferences & 0b010 != 0 {
      transmitPHY = 2
    } else if preferences & 0b001 != 0 {
      transmitPHY = 1
    } else if preferences & 0b100 != 0 {
      transmitPHY = 3
    }
  }

  fileprivate func reportPHY(_ status: HCIErrorCode) {
    controller?.emit(
      LEPHYUpdateComplete(
        status: status, handle: handle, transmitPHY: transmitPHY,
        receivePHY: peer?.transmitPHY ?? transmitPHY))
  }

  fileprivate func reportDataLength() {
    let receive = peer?.transmitDataLength ?? .minimum
    controller?.emit(
      LEDataLengthChange(
        handle: handle, transmitOctets: transmitDataLength.octets,
        transmitTime: transmitDataLength.time, receiveOctets: receive.octets,
        receiveTime: receive.time))
  }
}
