import BluetoothHost

/// What a host has set, all of which Reset forgets.
struct ControllerState {
  /// Core Specification, Vol 4, Part E, 7.3.1: every event but the LE ones.
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
  var scan: Scan?
  var initiation: Initiation?

  var acceptList: [DeviceAddress] = []

  var resolvingList = ResolvingList()
  /// How long a private address is used, in seconds. Core Specification, Vol 4, Part E, 7.8.45.
  var addressLifetime: UInt16 = 900
  /// When the private addresses have been used for that long; `nil` before they are made.
  var addressesDue: Instant?

  var suggestedAirTime = AirTime.minimum
  /// Bit 0: 1M; bit 1: 2M; bit 2: coded.
  var preferredTransmitPHYs: UInt8 = 0b111
  var preferredReceivePHYs: UInt8 = 0b111
}

/// Advertising that is on.
struct Advertising {
  var kind: LEAdvertisingReport.Kind
  var own: OwnAddress
  /// The address that it carries.
  var address: DeviceAddress
  /// The identity address of the device that directed advertising is for; the device whose private
  /// address undirected advertising uses.
  var peer: DeviceAddress
  /// The address that it is for, if it is directed.
  var target: DeviceAddress?
  /// From one advertisement to the next, in ms.
  var interval: UInt32
  var next: Instant
  /// When directed advertising of high duty gives up.
  var end: Instant?
  /// Only devices of the accept list may connect.
  var connectsAcceptListOnly: Bool
  /// Only devices of the accept list get a scan response.
  var answersAcceptListOnly: Bool

  /// Whether a link can come of it.
  var isConnectable: Bool { kind == .connectable || kind == .directed }
}

/// Scanning that is on.
struct Scan {
  /// How it is done.
  struct Manner {
    var isActive: Bool
    var own: OwnAddress
    var acceptListOnly: Bool
    var filtersDuplicates: Bool
  }

  /// One advertiser's one kind of report.
  struct Heard: Hashable {
    var address: DeviceAddress
    var kind: UInt8

    init(_ address: DeviceAddress, _ kind: LEAdvertisingReport.Kind) {
      self.address = address
      self.kind = kind.rawValue
    }
  }

  var manner: Manner
  /// What the host has been given, to leave out duplicates.
  var heard: Set<Heard> = []
}

/// A connection that is being attempted.
struct Initiation {
  /// The advertiser's identity address; `nil` for any of the accept list.
  var target: DeviceAddress?
  var own: OwnAddress
  var parameters: LinkParameters
}
