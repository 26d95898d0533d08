import BluetoothHost

/// One advertising set of a controller: what its host has set, and the advertising while it is on.
/// The commands of Bluetooth 4 have one set, without a handle.
final class AdvertiserSet {
  unowned let advertiser: VirtualController
  /// Its handle; `nil` for the set of the commands of Bluetooth 4.
  let handle: UInt8?
  var parameters: LESetExtendedAdvertisingParameters
  var randomAddress: DeviceAddress?
  var data = SetData()
  var scanResponse = SetData()
  /// The identifier of the data on the air, which changes with it.
  var dataIdentifier: UInt16 = 0

  /// Its periodic advertising; `nil` before its parameters are set.
  var periodic: PeriodicSettings?
  /// The train on the air; `nil` if there is none.
  var train: AirTrain?

  /// The advertising; `nil` while it is off.
  var active: Advertising?
  /// Whether an advertisement would cause a report or a link, when last checked.
  var hasReceivers = false
  /// When its packets are on the air, in a model with collisions.
  var times = AdvertisingTimes()

  init(
    of advertiser: VirtualController, _ handle: UInt8?,
    _ parameters: LESetExtendedAdvertisingParameters
  ) {
    self.advertiser = advertiser
    self.handle = handle
    self.parameters = parameters
  }

  /// Whether its advertisements have legacy PDUs.
  var isLegacy: Bool { parameters.properties.contains(.legacy) }

  /// The PHY of a link that begins with it.
  var linkPHY: PHY { isLegacy ? .le1M : parameters.secondaryPHY }
}

/// The advertising data or the scan response data of a set, which its host gives in parts.
struct SetData {
  var bytes: [UInt8] = []
  /// Whether parts are missing.
  var isIncomplete = false

  /// Takes a part. Returns the status to refuse it with, or `nil`.
  mutating func take(
    _ operation: LESetExtendedAdvertisingData.Operation, _ part: Span<UInt8>
  ) -> HCIErrorCode? {
    let new = part.indices.map { part[$0] }
    switch operation {
    case .complete: self = SetData(bytes: new)
    case .unchanged: return new.isEmpty && !bytes.isEmpty ? nil : .invalidCommandParameters
    case .first, .intermediate, .last:
      let isFirst = operation == .first
      guard !new.isEmpty, isFirst || isIncomplete else { return .invalidCommandParameters }
      let whole = isFirst ? new : bytes + new
      guard whole.count <= LESetExtendedAdvertisingData.capacity else {
        return .memoryCapacityExceeded
      }
      self = SetData(bytes: whole, isIncomplete: operation != .last)
    default: return .invalidCommandParameters
    }
    return nil
  }
}

/// Active advertising of a set.
struct Advertising {
  var properties: AdvertisingProperties
  var own: UsedAddress
  /// The advertiser's address in it.
  var address: DeviceAddress
  /// The identity address of the target of directed advertising. For undirected advertising, the
  /// device of the resolving list that determines the private address.
  var peer: DeviceAddress
  /// The target's address in it, if it is directed.
  var target: DeviceAddress?
  /// From one advertisement to the next, in ms.
  var interval: UInt32
  var next: Instant
  /// When it ends without a link; `nil` for never.
  var end: Instant?
  /// What its host gets then.
  var endStatus = HCIErrorCode.advertisingTimeout
  /// Only devices of the accept list may connect.
  var connectsAcceptListOnly: Bool
  /// Only devices of the accept list get a scan response.
  var answersAcceptListOnly: Bool

  /// Whether initiators can connect.
  var isConnectable: Bool { properties.contains(.connectable) }
  /// Whether it answers scan requests.
  var isScannable: Bool { properties.contains(.scannable) }
  /// Whether it is for one device.
  var isDirected: Bool { properties.contains(.directed) }
  /// Whether it has legacy PDUs.
  var isLegacy: Bool { properties.contains(.legacy) }

  /// Moves to the first advertisement after `now`, at the same interval.
  mutating func skip(to now: Instant) {
    guard next <= now else { return }
    let missed = (now.rawValue - next.rawValue) / UInt64(interval) + 1
    next = Instant(rawValue: next.rawValue + missed * UInt64(interval))
  }
}

extension AdvertisingProperties {
  /// ADV_DIRECT_IND at the requested interval: connectable by one device, with legacy PDUs.
  static let legacyDirected: AdvertisingProperties = .connectable | .directed | .legacy

  /// The kind of the advertisements in a legacy report.
  var legacyKind: LEAdvertisingReport.Kind {
    if contains(.directed) { return .directed }
    if contains(.connectable) { return .connectable }
    return contains(.scannable) ? .scannable : .nonconnectable
  }
}
