import BluetoothHost

// Synchronizing with periodic advertising trains: Core Specification, Vol 4, Part E, 7.8.67 to 7.8.73.
extension VirtualController {
  /// The largest number of trains that a controller follows.
  private static let synchronizationLimit = 8
  /// The capacity of the Periodic Advertiser list.
  private static let listSize = 8

  func performSynchronization(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    switch opcode {
    case .lePeriodicAdvertisingCreateSync:
      guard let request = LEPeriodicAdvertisingCreateSync(&reader), request.isValid else {
        return .invalidCommandParameters
      }
      if let status = obstacle(request) { return status }
      accept(opcode)
      state.synchronizationRequest = request
      air?.synchronizationChanged(of: self)
      return nil
    case .lePeriodicAdvertisingCreateSyncCancel:
      guard let request = state.synchronizationRequest else { return .commandDisallowed }
      succeed(opcode)
      for synchronization in state.synchronizations where !synchronization.isEstablished {
        remove(synchronization)
      }
      endRequest(.operationCancelledByHost, request)
      return nil
    case .lePeriodicAdvertisingTerminateSync:
      guard let request = LEPeriodicAdvertisingTerminateSync(&reader),
        let synchronization = state.synchronizations.first(where: {
          $0.handle == request.handle && $0.isEstablished
        })
      else { return .unknownAdvertisingIdentifier }
      remove(synchronization)
    case .leReadPeriodicAdvertiserListSize:
      succeed(opcode) { $0.write(UInt8(Self.listSize)) }
      return nil
    default: if let status = changeList(opcode, &reader) { return status }
    }
    succeed(opcode)
    return nil
  }

  private func obstacle(_ request: LEPeriodicAdvertisingCreateSync) -> HCIErrorCode? {
    // All bits of the kinds of Constant Tone Extensions leave out every train.
    guard state.synchronizationRequest == nil, request.constantToneExtension & 0x1F != 0x1F else {
      return .commandDisallowed
    }
    // It has no command that turns the reports on.
    guard request.options & 0b10 == 0 else { return .connectionFailedToBeEstablished }
    guard request.usesList || !follows(request.advertiser) else { return .connectionAlreadyExists }
    return state.synchronizations.count < Self.synchronizationLimit ? nil : .memoryCapacityExceeded
  }

  private func follows(_ advertiser: ListedAdvertiser) -> Bool {
    state.synchronizations.contains {
      $0.advertisingSet == advertiser.advertisingSet
        && ($0.sender.identity == advertiser.address || $0.sender.address == advertiser.address)
    }
  }

  private func changeList(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    // Core Specification, Vol 4, Part E, 7.8.70: the list is fixed while the controller synchronizes.
    guard state.synchronizationRequest == nil else { return .commandDisallowed }
    guard opcode != .leClearPeriodicAdvertiserList else {
      state.periodicAdvertiserList.removeAll()
      return nil
    }
    guard let address = DeviceAddress(&reader), let advertisingSet = reader.readUInt8(),
      advertisingSet <= 0x0F
    else { return .invalidCommandParameters }
    let advertiser = ListedAdvertiser(address: address, advertisingSet: advertisingSet)
    let index = state.periodicAdvertiserList.firstIndex(of: advertiser)
    if opcode == .leRemoveDeviceFromPeriodicAdvertiserList {
      guard let index else { return .unknownAdvertisingIdentifier }
      state.periodicAdvertiserList.remove(at: index)
      return nil
    }
    guard index == nil else { return .invalidCommandParameters }
    guard state.periodicAdvertiserList.count < Self.listSize else {
      return .memoryCapacityExceeded
    }
    state.periodicAdvertiserList.append(advertiser)
    return nil
  }

  // MARK: Synchronizing

  /// The sender of a set's train, if this controller scans and wants to follow it.
  func seeks(_ set: AdvertiserSet, _ advertising: Advertising) -> Sender? {
    guard let request = state.synchronizationRequest, set.train != nil,
      state.synchronizations.allSatisfy(\.isEstablished),
      configuration.phys.contains(set.parameters.secondaryPHY.set),
      let parameters = state.scan?.parameters, let sender = sender(of: set, parameters)
    else { return nil }
    for address in [sender.identity, sender.address] {
      let advertiser = ListedAdvertiser(
        address: address, advertisingSet: set.parameters.identifier)
      let isWanted =
        request.usesList
        ? state.periodicAdvertiserList.contains(advertiser) && !follows(advertiser)
        : request.advertiser == advertiser
      if isWanted { return sender }
    }
    return nil
  }

  /// An advertisement of `set` has been received, which says when its train has its next packet.
  func synchronize(with set: AdvertiserSet, _ advertising: Advertising) {
    guard let air, let train = set.train, let request = state.synchronizationRequest,
      let sender = seeks(set, advertising)
    else { return }
    sender.note()
    train.skip(to: air.now)
    let handle = (0...).first { number in
      !state.synchronizations.contains { $0.handle == number }
    }
    state.synchronizations.append(
      Synchronization(
        request, of: self, handle: handle ?? 0, with: train, of: set, sender, at: air.now))
    air.audienceChanged()
    air.reschedule(self)
    air.reschedule(set.advertiser)
  }

  /// Takes a packet of a train, whose parts arrive one after another.
  func receive(_ train: AirTrain, of set: AdvertiserSet, _ end: Synchronization, rssi: Int8) {
    guard let air, end.listens(), !air.losesAdvertisement(to: self) else { return }
    if end.receive(at: air.now) {
      state.synchronizationRequest = nil
      emit(
        LEPeriodicAdvertisingSyncEstablished(
          status: .success, handle: end.handle, advertisingSet: end.advertisingSet,
          address: end.sender.reportedAddress, phy: end.phy, interval: end.interval))
    }
    air.reschedule(self)
    guard hasRoomForReport else { return }
    let data = set.periodic?.data.bytes ?? []
    var offset = 0
    repeat {
      let isLost = offset > 0 && air.losesAdvertisement(to: self)
      let length =
        isLost ? 0 : min(data.count - offset, LEPeriodicAdvertisingReport.longestPart)
      let isLast = offset + length == data.count
      emitLEEvent(.periodicAdvertisingReport, isReport: true) { writer in
        LEPeriodicAdvertisingReport(
          handle: end.handle,
          txPower: train.includesTxPower ? 0 : LESetExtendedAdvertisingParameters.anyPower,
          rssi: rssi, completeness: isLost ? .truncated : isLast ? .complete : .partial,
          data: data.span.extracting(offset..<offset + length)
        ).writeParameters(to: &writer)
      }
      if isLost { return }
      offset += length
    } while offset < data.count
  }

  /// No packet has been received in time.
  func lose(_ synchronization: Synchronization) {
    remove(synchronization)
    if synchronization.isEstablished {
      emit(LEPeriodicAdvertisingSyncLost(handle: synchronization.handle))
    } else if let request = state.synchronizationRequest {
      endRequest(.connectionFailedToBeEstablished, request)
    }
  }

  private func remove(_ synchronization: Synchronization) {
    synchronization.leave()
    state.synchronizations.removeAll { $0 === synchronization }
    air?.reschedule(self)
  }

  /// Reports that a request has ended without a synchronization.
  private func endRequest(_ status: HCIErrorCode, _ request: LEPeriodicAdvertisingCreateSync) {
    state.synchronizationRequest = nil
    air?.audienceChanged()
    emit(
      LEPeriodicAdvertisingSyncEstablished(
        status: status, handle: 0, advertisingSet: request.advertisingSet,
        address: request.address, phy: .le1M, interval: 0))
  }
}

extension LEPeriodicAdvertisingCreateSync {
  /// Core Specification, Vol 4, Part E, 7.8.67.
  fileprivate var isValid: Bool {
    options <= 0b111 && (usesList || advertisingSet <= 0x0F) && skip <= 0x01F3
      && (0x000A...0x4000).contains(timeout)
  }

  /// Whether it is for any set of the Periodic Advertiser list.
  var usesList: Bool { options & 1 == 1 }

  fileprivate var advertiser: ListedAdvertiser {
    ListedAdvertiser(address: address, advertisingSet: advertisingSet)
  }
}

extension VirtualAir {
  /// Delivers one packet of the train of `set` to its followers.
  func deliverTrain(of set: AdvertiserSet) {
    guard let train = set.train else { return }
    train.skip(to: now)
    for follower in train.followers {
      guard let rssi = signalStrength(from: set.advertiser, to: follower.receiver) else { continue }
      follower.receiver.receive(train, of: set, follower, rssi: rssi)
    }
    schedule.set(set.advertiser, set.advertiser.deadline)
  }
}
