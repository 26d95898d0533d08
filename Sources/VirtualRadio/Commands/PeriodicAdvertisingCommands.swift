import BluetoothHost

// Periodic advertising: Core Specification, Vol 4, Part E, 7.8.61 to 7.8.63.
extension VirtualController {
  func performPeriodicAdvertising(
    _ opcode: HCIOpcode, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    let status: HCIErrorCode?
    switch opcode {
    case .leSetPeriodicAdvertisingParameters:
      guard let request = LESetPeriodicAdvertisingParameters(&reader) else {
        return .invalidCommandParameters
      }
      status = set(request)
    case .leSetPeriodicAdvertisingData:
      guard let request = LESetPeriodicAdvertisingData(&reader), reader.isEmpty else {
        return .invalidCommandParameters
      }
      status = take(request)
    case .leSetPeriodicAdvertisingEnable:
      guard let request = LESetPeriodicAdvertisingEnable(&reader) else {
        return .invalidCommandParameters
      }
      status = enable(request)
    default: return performSynchronization(opcode, &reader)
    }
    if let status { return status }
    succeed(opcode)
    return nil
  }

  private func set(_ request: LESetPeriodicAdvertisingParameters) -> HCIErrorCode? {
    guard request.minimumInterval >= 6, request.minimumInterval <= request.maximumInterval,
      request.properties & ~LESetPeriodicAdvertisingParameters.includesTxPower == 0
    else { return .invalidCommandParameters }
    guard let set = set(request.handle) else { return .unknownAdvertisingIdentifier }
    guard set.parameters.properties.allowTrain else { return .invalidCommandParameters }
    guard set.periodic?.isEnabled != true else { return .commandDisallowed }
    var settings = PeriodicSettings(request)
    if let data = set.periodic?.data { settings.data = data }
    guard settings.holds(settings.data, on: set.parameters.secondaryPHY) else {
      return .packetTooLong
    }
    set.periodic = settings
    return nil
  }

  private func take(_ request: borrowing LESetPeriodicAdvertisingData) -> HCIErrorCode? {
    guard let set = set(request.handle) else { return .unknownAdvertisingIdentifier }
    let operation = request.operation
    guard let settings = set.periodic,
      !settings.isEnabled || operation == .complete || operation == .unchanged
    else { return .commandDisallowed }
    var data = settings.data
    if let status = data.take(operation, request.data) { return status }
    guard settings.holds(data, on: set.parameters.secondaryPHY) else { return .packetTooLong }
    set.periodic?.data = data
    return nil
  }

  private func enable(_ request: LESetPeriodicAdvertisingEnable) -> HCIErrorCode? {
    guard request.enable & ~0b11 == 0 else { return .invalidCommandParameters }
    guard let set = set(request.handle) else { return .unknownAdvertisingIdentifier }
    let isEnabled = request.enable & 1 == 1
    guard let settings = set.periodic, !isEnabled || !settings.data.isIncomplete else {
      return .commandDisallowed
    }
    // Bit 1: its packets have no identifier of their data.
    guard request.enable != 0b11 else { return .unsupportedFeatureOrParameterValue }
    set.periodic?.isEnabled = isEnabled
    updateTrain(of: set)
    air?.reschedule(self)
    return nil
  }

  /// Begins the train of a set that advertises, or ends it. A train goes on when its set stops.
  func updateTrain(of set: AdvertiserSet) {
    guard let settings = set.periodic, settings.isEnabled else {
      set.train = nil
      return
    }
    guard set.train == nil, set.active != nil, let air else { return }
    set.train = AirTrain(settings.parameters, at: air.now)
  }
}

extension AdvertisingProperties {
  /// Whether a set with these properties may have a train: Core Specification, Vol 4, Part E, 7.8.61.
  var allowTrain: Bool { (self & (.connectable | .scannable | .legacy | .anonymous)).isEmpty }
}
