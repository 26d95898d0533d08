import Foundation

/// Receives the events of a `CBCentralManager`. All methods but the first are optional.
///
/// The class that conforms declares those that it wants. On Linux a method that only a subclass of it
/// declares is never called, which a debug build logs: see <doc:PortingYourCode>.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
  /// The state has changed. The manager can be used only while it is `poweredOn`.
  func centralManagerDidUpdateState(_ central: CBCentralManager)

  /// Never called: nothing is restored on Linux.
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

  /// A peripheral was discovered. The RSSI is in dBm, or 127 if unknown.
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber)

  /// The peripheral is connected.
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

  /// The peripheral could not be connected.
  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

  /// The link has ended: without an error if `cancelPeripheralConnection` ended it. Not called if
  /// the delegate has the version with a time.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?)

  /// The link has ended, at a time in seconds since 2001. With `isReconnecting`, the manager is
  /// connecting again (`CBConnectPeripheralOptionEnableAutoReconnect`), and `didConnect` follows.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?)

  /// Never called: the connections of other programs are not seen.
  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent,
    for peripheral: CBPeripheral)

  /// Never called: only Apple's phones have the Apple Notification Center Service.
  func centralManager(
    _ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)
}

extension CBCentralManagerDelegate {
  /// Nothing.
  public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}
  /// Nothing.
  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {}
  /// Nothing.
  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}
  /// Nothing.
  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {}
  /// Nothing.
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {}
  /// Calls the version without a time.
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?
  ) { centralManager(central, didDisconnectPeripheral: peripheral, error: error) }
  /// Nothing.
  public func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent,
    for peripheral: CBPeripheral
  ) {}
  /// Nothing.
  public func centralManager(
    _ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral
  ) {}
}
