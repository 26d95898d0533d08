import BluetoothHost

/// How long packets may be over the air, and on which PHY they travel.
extension VirtualController {
  func performDataLength(
    _ opcode: HCIOpcode, _ command: CommandDefinition, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    switch opcode {
    case .leReadSuggestedDefaultDataLength:
      succeed(command) { state.suggestedAirTime.write(to: &$0) }
    case .leReadMaximumDataLength:
      succeed(command) { writer in
        AirTime.maximum.write(to: &writer)
        AirTime.maximum.write(to: &writer)
      }
    case .leWriteSuggestedDefaultDataLength:
      guard let suggested = AirTime(&reader) else { return .invalidCommandParameters }
      state.suggestedAirTime = suggested
      succeed(command)
    default:
      guard let handle = ConnectionHandle(&reader), let end = link(handle) else {
        return .unknownConnectionIdentifier
      }
      guard let wish = AirTime(&reader) else { return .invalidCommandParameters }
      succeed(command, handle)
      requestAirTime(wish, on: end)
    }
    return nil
  }

  /// Does what both sides can; tells both hosts if that changes anything.
  func requestAirTime(_ wish: AirTime, on end: LinkEnd) {
    end.preferredAirTime = wish
    guard let peer = end.peer, let other = peer.controller,
      configuration.supportsDataLengthExtension, other.configuration.supportsDataLengthExtension
    else { return }
    let agreed = wish.limited(to: .maximum)
    guard agreed != end.transmitAirTime else { return }
    end.transmitAirTime = agreed
    end.tellAirTime()
    peer.tellAirTime()
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

  /// Takes the fastest PHY that both sides like, each way; tells the host that asked in any case,
  /// the other if something has changed.
  private func choosePHYs(_ end: LinkEnd, _ preference: PHYPreference) {
    guard let peer = end.peer, let other = peer.controller else { return }
    guard other.configuration.supports2MPHY else {
      end.tellPHY(.unsupportedRemoteFeature)
      return
    }
    let before = (end.transmitPHY, peer.transmitPHY)
    end.choosePHY(of: preference.transmit & other.state.preferredReceivePHYs)
    peer.choosePHY(of: preference.receive & other.state.preferredTransmitPHYs)
    end.tellPHY(.success)
    if before != (end.transmitPHY, peer.transmitPHY) { peer.tellPHY(.success) }
  }
}

/// What LE Set PHY and LE Set Default PHY say, with "no preference" spelt out.
private struct PHYPreference {
  var transmit: UInt8
  var receive: UInt8

  /// `nil` if the host states a preference for nothing, or for what the specification reserves.
  init?(_ reader: inout ByteReader) {
    guard let all = reader.readUInt8(), let transmit = reader.readUInt8(),
      let receive = reader.readUInt8()
    else { return nil }
    self.transmit = all & 0b01 != 0 ? 0b111 : transmit
    self.receive = all & 0b10 != 0 ? 0b111 : receive
    guard self.transmit != 0, self.receive != 0, self.transmit <= 0b111, self.receive <= 0b111
    else { return nil }
  }

  /// Whether 1M or 2M is among them: there is no coded PHY here.
  var isSupported: Bool { transmit & 0b011 != 0 && receive & 0b011 != 0 }
}

extension AirTime {
  /// Reads the two values of a host's wish; `nil` outside the specification's ranges.
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
  /// 2M before 1M; neither leaves it as it is.
  fileprivate func choosePHY(of preferences: UInt8) {
    if preferences & 0b010 != 0 {
      transmitPHY = 2
    } else if preferences & 0b001 != 0 {
      transmitPHY = 1
    }
  }

  fileprivate func tellPHY(_ status: HCIErrorCode) {
    controller?.emit(
      LEPHYUpdateComplete(
        status: status, handle: handle, transmitPHY: transmitPHY,
        receivePHY: peer?.transmitPHY ?? transmitPHY))
  }

  fileprivate func tellAirTime() {
    let receive = peer?.transmitAirTime ?? .minimum
    controller?.emit(
      LEDataLengthChange(
        handle: handle, transmitOctets: transmitAirTime.octets, transmitTime: transmitAirTime.time,
        receiveOctets: receive.octets, receiveTime: receive.time))
  }
}
