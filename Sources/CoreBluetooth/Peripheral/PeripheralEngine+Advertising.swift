import BluetoothHost
import Foundation
import LinuxRadio

// Managers share one device, and so one advertisement: all their services, and the first name.
extension PeripheralEngine {
  /// A manager, which has ended its advertising `endCount` times, begins to advertise. Its delegate is
  /// told when that has begun, or why it cannot.
  func startAdvertising(
    name: String?, services: [BluetoothUUID], for client: PeripheralClient, after endCount: Int
  ) {
    guard !advertisers.contains(where: { $0.client === client }) else {
      client.tell { $0.advertisingStarted(after: endCount, CBError(.alreadyAdvertising)) }
      return
    }
    advertisers.append(
      Advertiser(client: client, endCount: endCount, name: name, services: services))
    advertise()
    tellOfAdvertising()
  }

  func stopAdvertising(_ client: PeripheralClient) {
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
    // The GAP service has the name that is advertised, as many centrals show now the one and now the
    // other.
    if let name = DeviceName(prefixOf: name.span) { device.host.server.deviceName = name }
    device.host.advertise(Advertisement(services: services.span, name: name.span))
  }

  /// Tells managers whose advertising has begun, or cannot begin.
  func tellOfAdvertising() {
    guard advertisers.contains(where: \.isStarting) else { return }
    switch device.host.radio {
    case .fault(let fault):
      let refused = advertisers.filter(\.isStarting)
      advertisers.removeAll(where: \.isStarting)
      advertise()
      for advertiser in refused {
        Log.logger.error("Advertising cannot begin: \(fault.text)")
        advertiser.client.tell {
          $0.advertisingStarted(after: advertiser.endCount, CBError(.unknown))
        }
      }
    case .advertising:
      tellBegun()
    case .silent where device.host.isAdvertisingHeldBack:
      // It begins when a central goes, which may be never.
      tellBegun()
    case .silent, .starting:
      break
    }
  }

  private func tellBegun() {
    for index in advertisers.indices where advertisers[index].isStarting {
      advertisers[index].isStarting = false
      let endCount = advertisers[index].endCount
      advertisers[index].client.tell { $0.advertisingStarted(after: endCount) }
    }
  }
}
