import CoreBluetooth
import Foundation

/// A device that advertises, ball or not.
public struct NearbyDevice: Sendable, Identifiable {
  /// CoreBluetooth's identifier.
  public let id: UUID
  /// The advertised name; `nil` while there is none.
  public let name: String?
  /// The RSSI in dBm; `nil` if unknown.
  public let rssi: Int?
  /// Whether it is connectable.
  public let isConnectable: Bool
  /// The UUIDs of the advertised services, as text.
  public let services: [String]
  /// Whether it advertises the ball's service.
  public let isBall: Bool
}

/// Scans for all advertisers.
public final class NearbyDevices: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
  /// An event of the scan.
  public enum Event: Sendable {
    /// Whether Bluetooth can be used has changed.
    case stateUpdated(isPoweredOn: Bool)
    /// A device was found, or has new data.
    case heard(NearbyDevice)
  }

  /// The events. If Bluetooth can be used, the sequence begins with `stateUpdated`. Each reader has
  /// a separate sequence.
  public var events: AsyncStream<Event> {
    streams.makeStream(on: queue) { [weak self] in
      guard let self, manager.withLock(\.self)?.state == .poweredOn else { return [] }
      return [.stateUpdated(isPoweredOn: true)]
    }
  }

  private let streams = EventStreams<Event>()
  private let manager = Locked<CBCentralManager?>(nil)
  private let queue: DispatchQueue
  /// Only the queue uses it.
  private var isStopped = false

  /// Starts the scan as soon as Bluetooth can be used.
  ///
  /// - Parameters:
  ///   - queue: The serial queue for all calls; `nil` is the main queue.
  ///   - makeManager: Makes the CoreBluetooth manager, which must have this delegate and this
  ///     queue.
  public init(
    queue: DispatchQueue? = nil,
    makeManager: (any CBCentralManagerDelegate, DispatchQueue) -> CBCentralManager = {
      CBCentralManager(delegate: $0, queue: $1)
    }
  ) {
    self.queue = queue ?? .main
    super.init()
    let made = makeManager(self, self.queue)
    manager.withLock { $0 = made }
  }

  /// Stops the scan and ends all sequences.
  public func stop() {
    queue.async { [self] in
      isStopped = true
      if let manager = manager.withLock(\.self), manager.state == .poweredOn { manager.stopScan() }
      streams.finish()
    }
  }

  /// The Bluetooth state has changed.
  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    let isOn = central.state == .poweredOn
    streams.send(.stateUpdated(isPoweredOn: isOn))
    if isOn, !isStopped { central.scanForPeripherals(withServices: nil, options: nil) }
  }

  /// A device advertises.
  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
    let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
    streams.send(
      .heard(
        NearbyDevice(
          id: peripheral.identifier, name: name ?? peripheral.name,
          // 127 stands for unknown. Core Specification, Vol 4, Part E, 7.7.65.2.
          rssi: RSSI.intValue == 127 ? nil : RSSI.intValue,
          isConnectable: advertisementData[CBAdvertisementDataIsConnectable] as? Bool ?? false,
          services: services.map(\.uuidString), isBall: services.contains(BallProfile.service))))
  }
}
