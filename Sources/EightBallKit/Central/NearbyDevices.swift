import CoreBluetooth
import Foundation

/// A device that advertises, ball or not.
public struct NearbyDevice: Sendable, Identifiable {
  /// The identifier that CoreBluetooth gives it.
  public let id: UUID
  /// The name that it advertises; `nil` while it has told none.
  public let name: String?
  /// How strongly it was heard, in dBm; `nil` if that is not known.
  public let rssi: Int?
  /// Whether it takes connections.
  public let isConnectable: Bool
  /// The UUIDs of the services that it advertises, as text.
  public let services: [String]
  /// Whether it says that it is a ball.
  public let isBall: Bool
}

/// Listens to everything that advertises.
public final class NearbyDevices: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
  /// What is heard.
  public enum Event: Sendable {
    /// Whether Bluetooth can be used has changed.
    case stateUpdated(isPoweredOn: Bool)
    /// A device was heard: for the first time, or with something new.
    case heard(NearbyDevice)
  }

  /// What is heard from now on. Each reader has a sequence of its own.
  public var events: AsyncStream<Event> {
    streams.makeStream(on: queue) { [weak self] in
      guard let self, manager.current?.state == .poweredOn else { return [] }
      return [.stateUpdated(isPoweredOn: true)]
    }
  }

  private let streams = EventStreams<Event>()
  private let manager = Guarded<CBCentralManager?>(nil)
  private let queue: DispatchQueue
  /// Touched on the queue alone.
  private var isStopped = false

  /// Begins to listen as soon as Bluetooth can be used.
  ///
  /// - Parameters:
  ///   - queue: On which everything happens: a serial one; `nil` is the main queue.
  ///   - makeManager: Makes the CoreBluetooth manager below, with this delegate and this queue.
  public init(
    queue: DispatchQueue? = nil,
    makeManager: (any CBCentralManagerDelegate, DispatchQueue) -> CBCentralManager = {
      CBCentralManager(delegate: $0, queue: $1)
    }
  ) {
    self.queue = queue ?? .main
    super.init()
    let made = makeManager(self, self.queue)
    manager { $0 = made }
  }

  /// Listens no more: all sequences end.
  public func stop() {
    queue.async { [self] in
      isStopped = true
      if let manager = manager.current, manager.state == .poweredOn { manager.stopScan() }
      streams.finish()
    }
  }

  /// CoreBluetooth tells whether it can be used.
  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    let isOn = central.state == .poweredOn
    streams.send(.stateUpdated(isPoweredOn: isOn))
    if isOn, !isStopped { central.scanForPeripherals(withServices: nil, options: nil) }
  }

  /// CoreBluetooth has heard a device.
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
          services: services.map(\.uuidString),
          isBall: services.contains(BallProfile.service))))
  }
}
