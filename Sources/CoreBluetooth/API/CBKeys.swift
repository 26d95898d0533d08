// The keys of advertisement data, in the dictionary that `didDiscover` receives and
// `startAdvertising` takes.

/// The local name: a `String`.
public let CBAdvertisementDataLocalNameKey = "kCBAdvDataLocalName"
/// The transmit power in dBm: an `NSNumber`.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"
/// The services: an array of `CBUUID`.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"
/// The service data: a dictionary from `CBUUID` to `Data`.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"
/// The manufacturer specific data, the company identifier first: `Data`.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"
/// Apple's overflow area. Never set here.
public let CBAdvertisementDataOverflowServiceUUIDsKey = "kCBAdvDataHashedServiceUUIDs"
/// Whether the peripheral is connectable: an `NSNumber` with a Boolean.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"
/// The solicited services: an array of `CBUUID`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey = "kCBAdvDataSolicitedServiceUUIDs"

// Options of `scanForPeripherals`.

/// Whether to report each advertisement instead of each peripheral once: an `NSNumber` with a
/// Boolean.
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"
/// Also reports peripherals that solicit these services: an array of `CBUUID`.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey = "kCBScanOptionSolicitedServiceUUIDs"

// Options of `connect`. Most are for programs in the background or for Apple's devices: accepted
// without effect.

/// Accepted, and without effect.
public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"
/// Accepted, and without effect.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey =
  "kCBConnectOptionNotifyOnDisconnection"
/// Accepted, and without effect.
public let CBConnectPeripheralOptionNotifyOnNotificationKey = "kCBConnectOptionNotifyOnNotification"
/// How long to wait before connecting, in seconds: an `NSNumber`.
public let CBConnectPeripheralOptionStartDelayKey = "kCBConnectOptionStartDelay"
/// Whether to reconnect after the link is lost: an `NSNumber` with a Boolean.
public let CBConnectPeripheralOptionEnableAutoReconnect = "kCBConnectOptionEnableAutoReconnect"
/// Accepted, and without effect: there is no BR/EDR.
public let CBConnectPeripheralOptionEnableTransportBridgingKey =
  "kCBConnectOptionEnableTransportBridging"
/// Accepted, and without effect: no peer offers the Apple Notification Center Service here.
public let CBConnectPeripheralOptionRequiresANCS = "kCBConnectOptionRequiresANCS"

// Options of the managers, and keys of what they restore. Linux never ends a program to start it
// again later, so nothing is ever restored: accepted, and without effect.

/// Accepted, and without effect.
public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// Accepted, and without effect.
public let CBCentralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// Accepted, and without effect.
public let CBCentralManagerOptionDeviceAccessForMedia = "kCBInitOptionDeviceAccessForMedia"
/// Never set.
public let CBCentralManagerRestoredStatePeripheralsKey = "kCBRestoredPeripherals"
/// Never set.
public let CBCentralManagerRestoredStateScanServicesKey = "kCBRestoredScanServices"
/// Never set.
public let CBCentralManagerRestoredStateScanOptionsKey = "kCBRestoredScanOptions"
/// Accepted, and without effect.
public let CBPeripheralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// Accepted, and without effect.
public let CBPeripheralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// Never set.
public let CBPeripheralManagerRestoredStateServicesKey = "kCBRestoredServices"
/// Never set.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey = "kCBRestoredAdvertisement"

/// The start or the end of a peripheral's connection, by any program.
///
/// Apple's `CBConnectionEvent`, with the same numbers.
@nonexhaustive(warn)
public enum CBConnectionEvent: Int, Sendable {
  /// The peripheral is no longer connected.
  case peerDisconnected = 0
  /// The peripheral is connected.
  case peerConnected = 1
}

/// Which peripherals' connections are of interest.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Sendable {
  /// The key.
  public let rawValue: String

  /// Any key, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Those with one of these identifiers: an array of `UUID`.
  public static let peripheralUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
  /// Those with one of these services: an array of `CBUUID`.
  public static let serviceUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
}
