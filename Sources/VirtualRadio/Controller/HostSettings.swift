import BluetoothHost

/// The settings of a host. Reset clears them.
struct HostSettings {
  /// The default: the events of bits 0 to 44, without Encryption Key Refresh Complete and LE Meta.
  /// Core Specification, Vol 4, Part E, 7.3.1.
  var eventMask: UInt64 = 0x0000_1FFF_FFFF_FFFF
  /// Core Specification, Vol 4, Part E, 7.8.1: the first five LE events.
  var leEventMask: UInt64 = 0x1F

  var randomAddress: DeviceAddress?

  /// Which commands for advertising, scanning and connecting the host uses; `nil` before the first.
  var advertisingCommands: AdvertisingCommands?
  /// The advertising sets, in the order of their creation.
  var sets: [AdvertiserSet] = []

  var scanParameters = ScanSettings.Request(
    ownAddressType: 0, filterPolicy: 0, phys: .le1M, activePHYs: .none, isExtended: false)
  var scan: ScanSettings?
  var initiation: Initiation?

  /// The train that the host wants to follow, until the first packet is received.
  var synchronizationRequest: LEPeriodicAdvertisingCreateSync?
  /// The trains that it follows, or tries to, in the order of their beginning.
  var synchronizations: [Synchronization] = []
  var periodicAdvertiserList: [ListedAdvertiser] = []

  var acceptList: [DeviceAddress] = []

  var resolvingList = ResolvingList()
  /// How long a private address is used, in seconds. Core Specification, Vol 4, Part E, 7.8.45.
  var addressLifetime: UInt16 = 900
  /// When the private addresses expire; `nil` before they are generated.
  var addressesDue: Instant?

  /// Whether the host supports connection subrating.
  var hasSubrating = false
  /// Which subrates it accepts from peripherals.
  var defaultSubrate = SubrateParameters.none

  var suggestedDataLength = DataLength.minimum
  /// Bit 0: 1M; bit 1: 2M; bit 2: coded.
  var preferredTransmitPHYs: UInt8 = 0b111
  var preferredReceivePHYs: UInt8 = 0b111
}

/// Active scanning.
struct ScanSettings {
  /// Its parameters.
  struct Parameters {
    var activePHYs: PHYSet
    var own: UsedAddress
    var acceptListOnly: Bool
    var filtersDuplicates: Bool
    /// Where it receives advertisements.
    var phys: PHYSet
    /// Whether it receives those without legacy PDUs too.
    var isExtended: Bool
  }

  /// What a host has requested for its scans.
  struct Request {
    var ownAddressType: UInt8
    var filterPolicy: UInt8
    var phys: PHYSet
    /// Where it sends scan requests.
    var activePHYs: PHYSet
    var isExtended: Bool
  }

  /// One kind of report of one advertiser's set and data.
  struct Reported: Hashable {
    var address: DeviceAddress
    var kind: UInt16
    /// 0 for legacy PDUs.
    var setAndData: UInt32

    init(_ address: DeviceAddress, _ set: AdvertiserSet, isScanResponse: Bool) {
      self.address = address
      let properties = set.parameters.properties
      if set.isLegacy {
        // A scan response does not say what it answers for.
        kind = UInt16(
          isScanResponse
            ? LEAdvertisingReport.Kind.scanResponse.rawValue : properties.legacyKind.rawValue)
        setAndData = 0
      } else {
        kind = (isScanResponse ? properties | .scanResponse : properties).rawValue
        setAndData = UInt32(set.parameters.identifier) << 16 | UInt32(set.dataIdentifier)
      }
    }
  }

  var parameters: Parameters
  /// When the scan ends; `nil` for never.
  var end: Instant?
  /// The reports that the host has got, to filter duplicates.
  var reported: Set<Reported> = []
}

/// A pending connection attempt.
struct Initiation {
  /// The advertiser's identity address; `nil` for any device of the accept list.
  var target: DeviceAddress?
  var own: UsedAddress
  /// The parameters of a link on each PHY: 1M, 2M, coded; `nil` where it does not connect.
  var parameters: [LinkParameters?]
  /// Whether it connects to advertisers without legacy PDUs too.
  var isExtended: Bool

  /// The parameters of a link with `set`; `nil` if the initiator does not receive it.
  func parameters(for set: AdvertiserSet) -> LinkParameters? {
    guard isExtended || set.isLegacy,
      let first = parameters[Int(set.parameters.primaryPHY.rawValue) - 1]
    else { return nil }
    return parameters[Int(set.linkPHY.rawValue) - 1] ?? first
  }
}

/// The two families of commands for advertising, scanning and connecting, which a host must not mix:
/// Core Specification, Vol 4, Part E, 3.1.1.
enum AdvertisingCommands {
  case legacy
  case extended
}
