import BluetoothHost

/// The settings of a host. Reset clears them.
struct HostSettings {
  /// The default: the events of bits 0 to 44, without Encryption Key Refresh Complete and LE Meta.
  /// Core Specification, Vol 4, Part E, 7.3.1.
  var eventMask: UInt64 = 0x0000_1FFF_FFFF_FFFF
  /// Core Specification, Vol 4, Part E, 7.8.1: the first five LE events.
  var leEventMask: UInt64 = 0x1F

  var randomAddress: DeviceAddress?

  var advertisingParameters = LESetAdvertisingParameters(
    minimumInterval: 0x0800, maximumInterval: 0x0800)
  var advertisingData = AdvertisingData()
  var scanResponseData = AdvertisingData()
  var advertising: Advertising?

  var scanParameters = LESetScanParameters(
    type: 0, interval: 0x0010, window: 0x0010, ownAddressType: 0, filterPolicy: 0)
  var scan: ScanSettings?
  var initiation: Initiation?

  var acceptList: [DeviceAddress] = []

  var resolvingList = ResolvingList()
  /// How long a private address is used, in seconds. Core Specification, Vol 4, Part E, 7.8.45.
  var addressLifetime: UInt16 = 900
  /// When the private addresses expire; `nil` before they are generated.
  var addressesDue: Instant?

  var suggestedDataLength = DataLength.minimum
  /// Bit 0: 1M; bit 1: 2M; bit 2: coded.
  var preferredTransmitPHYs: UInt8 = 0b111
  var preferredReceivePHYs: UInt8 = 0b111
}

/// Active advertising.
struct Advertising {
  var kind: LEAdvertisingReport.Kind
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
  /// When high duty cycle directed advertising times out.
  var end: Instant?
  /// Only devices of the accept list may connect.
  var connectsAcceptListOnly: Bool
  /// Only devices of the accept list get a scan response.
  var answersAcceptListOnly: Bool

  /// Whether initiators can connect.
  var isConnectable: Bool { kind == .connectable || kind == .directed }
}

/// Active scanning.
struct ScanSettings {
  /// Its parameters.
  struct Parameters {
    var isActive: Bool
    var own: UsedAddress
    var acceptListOnly: Bool
    var filtersDuplicates: Bool
  }

  /// One kind of report of one advertiser.
  struct Reported: Hashable {
    var address: DeviceAddress
    var kind: UInt8

    init(_ address: DeviceAddress, _ kind: LEAdvertisingReport.Kind) {
      self.address = address
      self.kind = kind.rawValue
    }
  }

  var parameters: Parameters
  /// The reports that the host has got, to filter duplicates.
  var reported: Set<Reported> = []
}

/// A pending connection attempt.
struct Initiation {
  /// The advertiser's identity address; `nil` for any device of the accept list.
  var target: DeviceAddress?
  var own: UsedAddress
  var parameters: LinkParameters
}
