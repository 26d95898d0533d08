import BluetoothHost
import Foundation
import LinuxRadio

// Managers share one device and one advertisement: all their services, and the first name.
extension PeripheralEngine {
  /// Starts advertising for a manager that has ended its advertising `endCount` times. The delegate
  /// is called when it has started or failed.
  func startAdvertising(
    name: String?, services: [BluetoothUUID], for client: PeripheralHandle, after endCount: Int
  ) {
    guard !advertisers.contains(where: { $0.client === client }) else {
      client.callManager { $0.advertisingStarted(after: endCount, CBError(.alreadyAdvertising)) }
      return
    }
    advertisers.append(
      AdvertisingManager(client: client, endCount: endCount, name: name, services: services))
    advertise()
    reportAdvertising()
  }

  func stopAdvertising(_ client: PeripheralHandle) {
    guard advertisers.contains(where: { $0.client === client }) else { return }
    advertisers.removeAll { $0.client === client }
    advertise()
  }

  private func advertise() {
    guard !advertisers.isEmpty else {
      device.host.advertise(nil)
      return
    }
    let name = Array((advertisers.lazy.compactMap(\.name).first ?? "").utf8)
    var services: [BluetoothUUID] = []
    for service in advertisers.flatMap(\.services) where !services.contains(service) {
      services.append(service)
    }
    // The GAP Device Name is the advertised name: many centrals show sometimes one, sometimes the
    // other.
    if let name = DeviceName(prefixOf: name.span) { device.host.server.deviceName = name }
    device.host.advertise(Advertisement(services: services.span, name: name.span))
  }

  /// Reports to managers that their advertising has started or failed.
  func reportAdvertising() {
    guard advertisers.contains(where: \.isStarting) else { return }
    switch device.host.radio {
    case .fault(let fault):
      let refused = advertisers.filter(\.isStarting)
      advertisers.removeAll(where: \.isStarting)
      advertise()
      for advertiser in refused {
        Log.logger.error("Advertising cannot start: \(fault.text)")
        advertiser.client.callManager {
          $0.advertisingStarted(after: advertiser.endCount, CBError(.unknown))
        }
      }
    case .advertising:
      reportStarted()
    case .silent where device.host.isAdvertisingHeldBack:
      // It starts when a central disconnects, which may be never.
      reportStarted()
    case .silent, .starting:
      break
    }
  }

  private func reportStarted() {
    for index in advertisers.indices where advertisers[index].isStarting {
      advertisers[index].isStarting = false
      let endCount = advertisers[index].endCount
      advertisers[index].client.callManager { $0.advertisingStarted(after: endCount) }
    }
  }
}
