import BluetoothHost

extension VirtualController {
  func performAdvertising(
    _ opcode: HCIOpcode, _ command: CommandDefinition, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    switch opcode {
    case .leSetRandomAddress:
      guard state.advertising == nil, state.scan == nil, state.initiation == nil else {
        return .commandDisallowed
      }
      guard let request = LESetRandomAddress(&reader) else { return .invalidCommandParameters }
      state.randomAddress = request.address
    case .leSetAdvertisingParameters:
      guard state.advertising == nil else { return .commandDisallowed }
      guard let request = LESetAdvertisingParameters(&reader), request.isValid,
        ownAddress(request.ownAddressType) != nil
      else { return .invalidCommandParameters }
      state.advertisingParameters = request
    case .leSetAdvertisingData:
      guard let request = LESetAdvertisingData(&reader) else { return .invalidCommandParameters }
      state.advertisingData = request.data
    case .leSetScanResponseData:
      guard let request = LESetScanResponseData(&reader) else { return .invalidCommandParameters }
      state.scanResponseData = request.data
    default:
      guard let enable = reader.readUInt8(), enable <= 1 else { return .invalidCommandParameters }
      guard enable == 1 else {
        advertise(nil)
        succeed(command)
        return nil
      }
      return startAdvertising(command)
    }
    succeed(command)
    return nil
  }

  private func startAdvertising(_ command: CommandDefinition) -> HCIErrorCode? {
    guard let air else { return .hardwareFailure }
    let parameters = state.advertisingParameters
    guard let own = ownAddress(parameters.ownAddressType) else { return .invalidCommandParameters }
    if own.isPrivate { prepareAddresses() }
    guard let address = address(own, towards: parameters.peer) else {
      return .invalidCommandParameters
    }
    var advertising = Advertising(
      kind: parameters.kind, own: own, address: address, peer: parameters.peer, target: nil,
      interval: parameters.intervalInMilliseconds, next: air.now,
      connectsAcceptListOnly: parameters.filterPolicy & 0b10 != 0,
      answersAcceptListOnly: parameters.filterPolicy & 0b01 != 0)
    if advertising.isConnectable, links.count >= configuration.maximumLinks {
      return .connectionLimitExceeded
    }
    direct(&advertising)
    if parameters.isHighDuty {
      // Core Specification, Vol 6, Part B, 4.4.2.4.3: events at most 3.75 ms apart, for at most
      // 1.28 s. Here they are 4 ms apart, since the air's time is in milliseconds.
      advertising.interval = 4
      advertising.end = air.now.advanced(by: 1_280)
    }
    advertising.next = air.now.advanced(by: advertising.interval)
    advertise(advertising)
    succeed(command)
    air.deliverAdvertisement(of: self)
    return nil
  }
}

extension LESetAdvertisingParameters {
  /// Whether it is high duty cycle directed advertising, which times out.
  fileprivate var isHighDuty: Bool { type == 0x01 }

  /// Type 0x04 is also directed, at the requested interval.
  fileprivate var kind: LEAdvertisingReport.Kind {
    type == 0x04 ? .directed : LEAdvertisingReport.Kind(rawValue: type)
  }

  /// The minimum interval, converted from units of 0.625 ms and rounded up.
  fileprivate var intervalInMilliseconds: UInt32 {
    (UInt32(minimumInterval) * 5 + 7) / 8
  }

  /// Core Specification, Vol 4, Part E, 7.8.5.
  fileprivate var isValid: Bool {
    let hasInterval =
      isHighDuty
      || (0x0020...0x4000).contains(minimumInterval) && (0x0020...0x4000).contains(maximumInterval)
        && minimumInterval <= maximumInterval
    return type <= 0x04 && hasInterval && channelMap & 0b111 != 0 && filterPolicy <= 0x03
  }
}
