import BluetoothHost

/// Data length and PHY.
extension VirtualController {
  func performDataLength(
    _ opcode: HCIOpcode, _ command: CommandDefinition, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    switch opcode {
    case .leReadSuggestedDefaultDataLength:
      succeed(command) { state.suggestedDataLength.write(to: &$0) }
    case .leReadMaximumDataLength:
      succeed(command) { writer in
        DataLength.maximum.write(to: &writer)
        DataLength.maximum.write(to: &writer)
      }
    case .leWriteSuggestedDefaultDataLength:
      guard let suggested = DataLength(&reader) else { return .invalidCommandParameters }
      state.suggestedDataLength = suggested
      succeed(command)
    default:
      guard let handle = ConnectionHandle(&reader), let end = link(handle) else {
        return .unknownConnectionIdentifier
      }
      guard let request = DataLength(&reader) else { return .invalidCommandParameters }
      succeed(command, handle)
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

  func performPHY(
    _ opcode: HCIOpcode, _ command: CommandDefinition, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    if opcode == .leSetDefaultPHY {
      guard let preference = PHYPreference(&reader) else { return .invalidCommandParameters }
      guard preference.isSupported else { return .unsupportedFeatureOrParameterValue }
      state.preferredTransmitPHYs = preference.transmit
      state.preferredReceivePHYs = preference.receive
      succeed(command)
      return nil
    }
    guard let handle = ConnectionHandle(&reader), let end = link(handle) else {
      return .unknownConnectionIdentifier
    }
    if opcode == .leReadPHY {
      succeed(command, handle) { writer in
        writer.write(end.transmitPHY)
        writer.write(end.peer?.transmitPHY ?? end.transmitPHY)
      }
      return nil
    }
    guard let preference = PHYPreference(&reader) else { return .invalidCommandParameters }
    guard preference.isSupported else { return .unsupportedFeatureOrParameterValue }
    accept(command)
    choosePHYs(end, preference)
    return nil
  }

  /// Chooses the fastest PHY that both sides prefer, for each direction. Always reports to the
  /// requesting host; to the other one only if a PHY has changed.
  private func choosePHYs(_ end: LinkEnd, _ preference: PHYPreference) {
    guard let peer = end.peer, let other = peer.controller else { return }
    guard other.configuration.supports2MPHY else {
      end.reportPHY(.unsupportedRemoteFeature)
      return
    }
    let before = (end.transmitPHY, peer.transmitPHY)
    end.choosePHY(of: preference.transmit & other.state.preferredReceivePHYs)
    peer.choosePHY(of: preference.receive & other.state.preferredTransmitPHYs)
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

  /// Whether 1M or 2M is among them: the coded PHY is not supported.
  var isSupported: Bool { transmit & 0b011 != 0 && receive & 0b011 != 0 }
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
  /// Chooses 2M before 1M; with neither, the PHY stays.
  fileprivate func choosePHY(of preferences: UInt8) {
    if preferences & 0b010 != 0 {
      transmitPHY = 2
    } else if preferences & 0b001 != 0 {
      transmitPHY = 1
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
        transmitTime: transmitDataLength.time,
        receiveOctets: receive.octets, receiveTime: receive.time))
  }
}
