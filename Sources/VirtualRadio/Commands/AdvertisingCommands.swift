import BluetoothHost

// The commands of Bluetooth 4 for advertising.
extension VirtualController {
  func performAdvertising(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    let set = legacySet
    switch opcode {
    case .leSetRandomAddress:
      // Advertising sets have addresses of their own.
      guard set?.active == nil, state.scan == nil, state.initiation == nil else {
        return .commandDisallowed
      }
      guard let request = LESetRandomAddress(&reader) else { return .invalidCommandParameters }
      state.randomAddress = request.address
    case .leSetAdvertisingParameters:
      guard set?.active == nil else { return .commandDisallowed }
      guard let request = LESetAdvertisingParameters(&reader), request.isValid,
        ownAddress(request.ownAddressType) != nil
      else { return .invalidCommandParameters }
      makeLegacySet().parameters = request.ofSet
    case .leSetAdvertisingData:
      guard let request = LESetAdvertisingData(&reader) else { return .invalidCommandParameters }
      makeLegacySet().data.bytes = request.data.bytes
    case .leSetScanResponseData:
      guard let request = LESetScanResponseData(&reader) else { return .invalidCommandParameters }
      makeLegacySet().scanResponse.bytes = request.data.bytes
    default:
      guard let enable = reader.readUInt8(), enable <= 1 else { return .invalidCommandParameters }
      guard enable == 1 else {
        if let set { advertise(nil, in: set) }
        succeed(opcode)
        return nil
      }
      let set = makeLegacySet()
      if let status = start(set, LESetExtendedAdvertisingEnable.Member(handle: 0)) { return status }
      succeed(opcode)
      air?.deliverAdvertisement(of: set)
      return nil
    }
    succeed(opcode)
    return nil
  }

  private var legacySet: AdvertiserSet? { state.sets.first { $0.handle == nil } }

  private func makeLegacySet() -> AdvertiserSet {
    if let legacySet { return legacySet }
    let set = AdvertiserSet(
      of: self, nil,
      LESetAdvertisingParameters(minimumInterval: 0x0800, maximumInterval: 0x0800).ofSet)
    state.sets.append(set)
    return set
  }

  /// Starts the advertising of a set. Returns the status to refuse it with, or `nil`.
  func start(_ set: AdvertiserSet, _ member: LESetExtendedAdvertisingEnable.Member) -> HCIErrorCode?
  {
    guard let air else { return .hardwareFailure }
    let parameters = set.parameters
    guard let own = ownAddress(parameters.ownAddressType, of: set) else {
      return .invalidCommandParameters
    }
    if own.isPrivate { prepareAddresses() }
    guard let address = address(own, towards: parameters.peer) else {
      return .invalidCommandParameters
    }
    var advertising = Advertising(
      properties: parameters.properties, own: own, address: address, peer: parameters.peer,
      target: nil, interval: parameters.intervalInMilliseconds, next: air.now,
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
    if member.duration > 0 {
      advertising.end = air.now.advanced(by: UInt32(member.duration) * 10)
    }
    if member.maximumEvents > 0 {
      // Events without receivers are not simulated, so their number is a time.
      let end = air.now.advanced(by: UInt32(member.maximumEvents) * advertising.interval)
      if advertising.end.map({ end < $0 }) ?? true {
        advertising.end = end
        advertising.endStatus = .limitReached
      }
    }
    advertising.next = air.now.advanced(by: advertising.interval)
    advertise(advertising, in: set)
    return nil
  }
}

extension LESetAdvertisingParameters {
  /// The same as parameters of a set.
  fileprivate var ofSet: LESetExtendedAdvertisingParameters {
    let properties: AdvertisingProperties =
      switch type {
      case 0x00: .legacyConnectable
      case 0x01: .legacyDirected | .highDuty
      case 0x02: .scannable | .legacy
      case 0x04: .legacyDirected
      default: .legacy
      }
    var parameters = LESetExtendedAdvertisingParameters(
      handle: 0, properties: properties, minimumInterval: UInt32(minimumInterval),
      maximumInterval: UInt32(maximumInterval), ownAddressType: ownAddressType,
      filterPolicy: filterPolicy)
    parameters.peer = peer
    return parameters
  }

  /// Core Specification, Vol 4, Part E, 7.8.5.
  fileprivate var isValid: Bool {
    let hasInterval =
      type == 0x01
      || (0x0020...0x4000).contains(minimumInterval) && (0x0020...0x4000).contains(maximumInterval)
        && minimumInterval <= maximumInterval
    return type <= 0x04 && hasInterval && channelMap & 0b111 != 0 && filterPolicy <= 0x03
  }
}

extension LESetExtendedAdvertisingParameters {
  /// Whether it is high duty cycle directed advertising, which times out.
  fileprivate var isHighDuty: Bool { properties.contains(.highDuty) }

  /// The minimum interval, converted from units of 0.625 ms and rounded up.
  fileprivate var intervalInMilliseconds: UInt32 { (minimumInterval * 5 + 7) / 8 }
}

extension AdvertisingData {
  /// A copy of its bytes.
  fileprivate var bytes: [UInt8] { span.indices.map { span[$0] } }
}
