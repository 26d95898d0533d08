// What an advertisement tells, as keys of the dictionary that `didDiscover` is given and
// `startAdvertising` takes.

/// The local name: a `String`.
public let CBAdvertisementDataLocalNameKey = "kCBAdvDataLocalName"
/// The transmit power in dBm: an `NSNumber`.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"
/// The services: an array of `CBUUID`.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"
/// The services' own data: a dictionary from `CBUUID` to `Data`.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"
/// The maker's own data, its company identifier first: `Data`.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"
/// Apple's overflow area. Never set here.
public let CBAdvertisementDataOverflowServiceUUIDsKey = "kCBAdvDataHashedServiceUUIDs"
/// Whether it takes connections: an `NSNumber` with a Boolean.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"
/// The services that it looks for: an array of `CBUUID`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey = "kCBAdvDataSolicitedServiceUUIDs"

// Options of `scanForPeripherals`.

/// Whether to tell of each advertisement, rather than of each peripheral once: an `NSNumber` with
/// a Boolean.
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"
/// To tell of peripherals that look for these services: an array of `CBUUID`.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey =
  "kCBScanOptionSolicitedServiceUUIDs"

// Options of `connect`. Most are for programs in the background or for Apple's devices: accepted, and
// without effect.

/// Accepted, and without effect.
public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"
/// Accepted, and without effect.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey =
  "kCBConnectOptionNotifyOnDisconnection"
/// Accepted, and without effect.
public let CBConnectPeripheralOptionNotifyOnNotificationKey =
  "kCBConnectOptionNotifyOnNotification"
/// How long to wait before connecting, in seconds: an `NSNumber`.
public let CBConnectPeripheralOptionStartDelayKey = "kCBConnectOptionStartDelay"
/// Whether a link that is lost is made again: an `NSNumber` with a Boolean.
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
