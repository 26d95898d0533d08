import BluetoothHost

// Advertising sets: Core Specification, Vol 4, Part E, 7.8.52 to 7.8.60.
extension VirtualController {
  func performAdvertisingSets(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    switch opcode {
    case .leReadMaximumAdvertisingDataLength:
      succeed(opcode) { $0.write(UInt16(LESetExtendedAdvertisingData.capacity)) }
      return nil
    case .leReadNumberOfSupportedAdvertisingSets:
      succeed(opcode) { $0.write(configuration.advertisingSetCount) }
      return nil
    case .leSetExtendedAdvertisingParameters:
      guard let request = LESetExtendedAdvertisingParameters(&reader) else {
        return .invalidCommandParameters
      }
      if let status = set(request) { return status }
      // The transmit power, in dBm.
      succeed(opcode) { $0.write(Int8(0)) }
      return nil
    case .leSetExtendedAdvertisingEnable:
      guard let request = LESetExtendedAdvertisingEnable(&reader), reader.isEmpty else {
        return .invalidCommandParameters
      }
      return enable(request)
    case .leSetAdvertisingSetRandomAddress:
      guard let request = LESetAdvertisingSetRandomAddress(&reader) else {
        return .invalidCommandParameters
      }
      guard let set = set(request.handle) else { return .unknownAdvertisingIdentifier }
      guard set.active == nil || !set.parameters.properties.contains(.connectable) else {
        return .commandDisallowed
      }
      set.randomAddress = request.address
    case .leRemoveAdvertisingSet:
      guard let request = LERemoveAdvertisingSet(&reader) else { return .invalidCommandParameters }
      guard let set = set(request.handle) else { return .unknownAdvertisingIdentifier }
      guard set.active == nil, set.periodic?.isEnabled != true else { return .commandDisallowed }
      state.sets.removeAll { $0 === set }
    case .leClearAdvertisingSets:
      guard !isAdvertising, !state.sets.contains(where: { $0.periodic?.isEnabled == true }) else {
        return .commandDisallowed
      }
      state.sets.removeAll()
    default:
      guard let request = LESetExtendedAdvertisingData(&reader), reader.isEmpty else {
        return .invalidCommandParameters
      }
      if let status = take(request, isResponse: opcode == .leSetExtendedScanResponseData) {
        return status
      }
    }
    succeed(opcode)
    return nil
  }

  /// The set with this handle.
  func set(_ handle: UInt8) -> AdvertiserSet? { state.sets.first { $0.handle == handle } }

  /// Creates or changes a set. Returns the status to refuse it with, or `nil`.
  private func set(_ request: LESetExtendedAdvertisingParameters) -> HCIErrorCode? {
    guard request.isValid, ownAddress(request.ownAddressType) != nil else {
      return .invalidCommandParameters
    }
    // It sends neither without its address nor with its power.
    guard configuration.phys.contains(request.primaryPHY.set | request.secondaryPHY.set),
      !request.properties.contains(.anonymous)
    else { return .unsupportedFeatureOrParameterValue }
    guard let set = set(request.handle) else {
      guard state.sets.count < Int(configuration.advertisingSetCount) else {
        return .memoryCapacityExceeded
      }
      state.sets.append(AdvertiserSet(of: self, request.handle, request))
      return nil
    }
    guard set.active == nil else { return .commandDisallowed }
    if let periodic = set.periodic {
      guard request.properties.allowTrain else { return .invalidCommandParameters }
      guard !periodic.isEnabled || request.secondaryPHY == set.parameters.secondaryPHY else {
        return .commandDisallowed
      }
    }
    guard request.properties.allow(set.data, isResponse: false),
      request.properties.allow(set.scanResponse, isResponse: true)
    else { return .invalidCommandParameters }
    set.parameters = request
    return nil
  }

  /// Takes a part of a set's data. Returns the status to refuse it with, or `nil`.
  private func take(
    _ request: borrowing LESetExtendedAdvertisingData, isResponse: Bool
  ) -> HCIErrorCode? {
    guard let set = set(request.handle) else { return .unknownAdvertisingIdentifier }
    let operation = request.operation
    guard set.active == nil || operation == .complete || operation == .unchanged else {
      return .commandDisallowed
    }
    var data = isResponse ? set.scanResponse : set.data
    if let status = data.take(operation, request.data) { return status }
    guard set.parameters.properties.allow(data, isResponse: isResponse),
      !set.isLegacy || operation == .complete
    else { return .invalidCommandParameters }
    if set.active != nil, !set.holds(data, isResponse: isResponse) { return .packetTooLong }
    if isResponse { set.scanResponse = data } else { set.data = data }
    set.dataIdentifier = (set.dataIdentifier + 1) & 0x0FFF
    // Scanners that filter duplicates report the new data.
    if set.active != nil { air?.reschedule(self) }
    return nil
  }

  /// Starts or stops sets: all of them, or none if one is wrong.
  private func enable(_ request: consuming LESetExtendedAdvertisingEnable) -> HCIErrorCode? {
    let isEnabled = request.enable == 1
    guard request.enable <= 1, request.count > 0 || !isEnabled else {
      return .invalidCommandParameters
    }
    var members: [(set: AdvertiserSet, member: LESetExtendedAdvertisingEnable.Member)] = []
    while let member = request.next() {
      guard !members.contains(where: { $0.member.handle == member.handle }) else {
        return .invalidCommandParameters
      }
      guard let set = set(member.handle) else { return .unknownAdvertisingIdentifier }
      if isEnabled, let status = set.obstacle { return status }
      members.append((set, member))
    }
    if !isEnabled {
      let sets = members.isEmpty ? state.sets : members.map(\.set)
      for set in sets where set.active != nil { advertise(nil, in: set) }
      succeed(.leSetExtendedAdvertisingEnable)
      return nil
    }
    for (set, member) in members {
      if let status = start(set, member) { return status }
    }
    succeed(.leSetExtendedAdvertisingEnable)
    for (set, _) in members { air?.deliverAdvertisement(of: set) }
    return nil
  }
}

extension AdvertiserSet {
  /// Why it cannot advertise; `nil` if it can.
  fileprivate var obstacle: HCIErrorCode? {
    let properties = parameters.properties
    guard !data.isIncomplete, !scanResponse.isIncomplete else { return .commandDisallowed }
    // Without legacy PDUs, a scannable set has its data in scan responses.
    if properties.contains(.scannable), !isLegacy, scanResponse.bytes.isEmpty {
      return .commandDisallowed
    }
    return holds(data, isResponse: false) ? nil : .packetTooLong
  }

  /// Whether its packets hold this data: a connectable advertisement has only one.
  fileprivate func holds(_ data: SetData, isResponse: Bool) -> Bool {
    isResponse || isLegacy || !parameters.properties.contains(.connectable)
      || data.bytes.count <= AdvertisingSets<1, 0>.connectableCapacity
  }
}

extension LESetExtendedAdvertisingParameters {
  /// Core Specification, Vol 4, Part E, 7.8.53.
  fileprivate var isValid: Bool {
    let intervals = UInt32(0x20)...0xFF_FFFF
    guard handle <= 0xEF, intervals.contains(minimumInterval), intervals.contains(maximumInterval),
      minimumInterval <= maximumInterval, channelMap & 0b111 != 0, filterPolicy <= 0x03,
      identifier <= 0x0F, notifiesOfRequests <= 1, properties.rawValue <= 0x7F,
      txPower == Self.anyPower || (-127...20).contains(txPower)
    else { return false }
    if properties.contains(.legacy) {
      let kinds: [AdvertisingProperties] = [
        .legacyConnectable, .scannable | .legacy, .legacy, .legacyDirected,
        .legacyDirected | .highDuty,
      ]
      return kinds.contains(properties) && primaryPHY == .le1M
    }
    return !properties.contains(.connectable | .scannable)
      && !properties.contains(.highDuty) && primaryPHY != .le2M && !primaryPHY.set.isEmpty
      && !secondaryPHY.set.isEmpty
  }
}

extension AdvertisingProperties {
  /// Whether a set with these properties may have the data.
  fileprivate func allow(_ data: SetData, isResponse: Bool) -> Bool {
    if data.bytes.isEmpty { return true }
    if isResponse { return contains(.scannable) && (!contains(.legacy) || data.bytes.count <= 31) }
    if contains(.legacy) { return !contains(.directed) && data.bytes.count <= 31 }
    return !contains(.scannable)
  }
}
