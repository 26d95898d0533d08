import BluetoothHost
import Foundation
import LinuxRadio

// Adding and removing services.
extension PeripheralEngine {
  /// Publishes a service. The delegate is called with the result.
  func add(_ definition: ServiceDefinition, for client: PeripheralHandle) {
    do throws(ServiceDefinitionError) {
      let range = try publish(definition, for: client)
      device.servicesChanged(in: range)
      client.callManager { manager in
        definition.bindObjects()
        manager.delegate?.peripheralManager(manager, didAdd: definition.object, error: nil)
      }
      endTurn()
    } catch { refuse(definition.object, because: error, for: client) }
  }

  func refuse(
    _ service: CBMutableService, because error: ServiceDefinitionError, for client: PeripheralHandle
  ) {
    client.callManager { manager in
      Misuse.log(manager, error.reason)
      manager.delegate?.peripheralManager(manager, didAdd: service, error: CBError(error.code))
    }
  }

  private func publish(_ definition: ServiceDefinition, for client: PeripheralHandle)
    throws(ServiceDefinitionError) -> AttributeHandleRange
  {
    let name = "The service \(definition.object.uuid)"
    guard !published.contains(where: { $0.definition.object === definition.object }) else {
      throw ServiceDefinitionError("\(name) has been added already")
    }
    let known = Set(
      published.flatMap { $0.definition.characteristics.map { ObjectIdentifier($0.object) } })
    for characteristic in definition.characteristics
    where known.contains(ObjectIdentifier(characteristic.object)) {
      throw ServiceDefinitionError(
        "The characteristic \(characteristic.object.uuid) is in another service")
    }
    var included: [AttributeHandle] = []
    for service in definition.included {
      guard
        let other = published.first(where: {
          $0.definition.object === service && $0.client === client
        })
      else {
        throw ServiceDefinitionError(
          "\(name) includes \(service.uuid), which has to be added first")
      }
      included.append(other.range.start)
    }
    var served: [UInt16: ServedAttribute] = [:]
    let range = device.host.server.database.add(count: definition.attributeCount) { first in
      let made = definition.attributes(from: first, including: included, for: client)
      served = made.served
      return made.attributes
    }
    guard let range else {
      throw ServiceDefinitionError(.outOfSpace, "There is no room for another service: \(name)")
    }
    device.host.server.application.served.merge(served) { _, new in new }
    for (handle, attribute) in served {
      if case .delegate(let characteristic, _) = attribute.source {
        device.subscribers.publish(characteristic, at: handle, for: client)
      }
    }
    published.append(Published(definition: definition, client: client, range: range))
    return range
  }

  /// Removes a service. Centrals that wait for one of its values are refused.
  func remove(_ service: CBMutableService, of client: PeripheralHandle) {
    guard
      let published = published.first(where: {
        $0.definition.object === service && $0.client === client
      })
    else { return }
    remove(published)
  }

  func removeAllServices(of client: PeripheralHandle) {
    for published in published where published.client === client { remove(published) }
  }

  func remove(_ gone: Published) {
    published.removeAll { $0.definition.object === gone.definition.object }
    let handles = gone.range.start.rawValue...gone.range.end.rawValue
    for characteristic in gone.definition.characteristics {
      device.subscribers.unpublish(characteristic.object)
    }
    for handle in handles { device.host.server.application.served[handle] = nil }
    let includes = device.host.server.database.remove(gone.range)
    device.servicesChanged(in: gone.range)
    for handle in includes {
      device.servicesChanged(in: AttributeHandleRange(start: handle, end: handle))
    }
    for (connectionIndex, link) in device.host.server.application.links.enumerated() {
      guard let link else { continue }
      link.subscriptions = link.subscriptions.filter { !handles.contains($0) }
      device.host.server.application.dropUpdates(of: link) { handles.contains($0) }
      if let pending = link.pendingRequest, pending.handles.contains(where: handles.contains) {
        link.pendingRequest = nil
        resume(link, at: connectionIndex)
      }
    }
    endTurn()
    gone.client.callManager { _ in
      for characteristic in gone.definition.characteristics {
        characteristic.object.subscribedCentrals = nil
      }
    }
  }
}

extension ServiceDefinition {
  /// Sets the service of each characteristic and the characteristic of each descriptor.
  fileprivate func bindObjects() {
    for characteristic in characteristics {
      characteristic.object.service = object
      for descriptor in characteristic.descriptors {
        descriptor.object.characteristic = characteristic.object
      }
    }
  }
}

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
      _ = device.host.advertise(nil, Span(), in: 0)
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
    let legacy = Advertisement(services: services.span, name: name.span)
    device.host.advertise(legacy)
    // Extended advertising has what legacy PDUs leave out, where the controller can.
    let extended = ExtendedAdvertisement(services, name).bytes
    let isLonger = extended.count > legacy.data.span.count + legacy.scanResponse.span.count
    _ = device.host.advertise(
      isLonger ? AdvertisingSet(.connectable) : nil, extended.span, in: 0)
  }

  /// Reports to managers that their advertising has started or failed.
  func reportAdvertising() {
    guard advertisers.contains(where: \.isStarting) else { return }
    switch device.host.radio {
    case .fault(let error):
      let refused = advertisers.filter(\.isStarting)
      advertisers.removeAll(where: \.isStarting)
      advertise()
      for advertiser in refused {
        Log.logger.error("Advertising cannot start: \(error.text)")
        advertiser.client.callManager {
          $0.advertisingStarted(after: advertiser.endCount, CBError(.unknown))
        }
      }
    case .advertising: reportStarted()
    case .silent where device.host.isAdvertisingHeldBack:
      // It may start much later: when a central disconnects, or the controller no longer refuses.
      reportStarted()
    case .silent, .starting: break
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

// Channels that centrals open.
extension PeripheralEngine {
  /// Publishes a channel with a free PSM, which the delegate receives.
  func publishChannel(_ listener: DeviceChannels.Listener) {
    guard let spsm = nextFreeSPSM() else {
      return listener.client.callManager { manager in
        manager.delegate?.peripheralManager(
          manager, didPublishL2CAPChannel: 0, error: CBError(.outOfSpace))
      }
    }
    lastSPSM = spsm
    device.channels.listeners[spsm] = listener
    listener.client.callManager { manager in
      manager.delegate?.peripheralManager(
        manager, didPublishL2CAPChannel: spsm.rawValue, error: nil)
    }
  }

  /// A PSM that is not published. Earlier ones are reused as late as possible.
  private func nextFreeSPSM() -> SPSM? {
    let first = SPSM.firstDynamic.rawValue
    let last = lastSPSM?.rawValue ?? 0x00FF
    for step in 1...0x80 as ClosedRange<UInt16> {
      let spsm = SPSM(first + (last - first + step) % 0x80)
      if let spsm, device.channels.listeners[spsm] == nil { return spsm }
    }
    return nil
  }

  /// Stops publishing this channel. Open channels stay open.
  func unpublishChannel(_ psm: CBL2CAPPSM, of client: PeripheralHandle) {
    var error: CBError?
    if let spsm = SPSM(psm), device.channels.listeners[spsm]?.client === client {
      device.channels.listeners[spsm] = nil
    } else {
      error = CBError(.invalidParameters)
    }
    client.callManager { [error] manager in
      manager.delegate?.peripheralManager(manager, didUnpublishL2CAPChannel: psm, error: error)
    }
  }

  /// Reports the channels that centrals have opened.
  func reportChannels() {
    for arrival in device.channels.takeArrivals() {
      // Without a connection in the server, nothing keeps the channel, so it closes.
      guard let central = device.host.server.application.links[arrival.link]?.central else {
        continue
      }
      arrival.client.callManager { manager in
        manager.delegate?.peripheralManager(
          manager,
          didOpen: CBL2CAPChannel(peer: central, psm: arrival.spsm.rawValue, arrival.keeper),
          error: nil)
        withExtendedLifetime(arrival.delivery) {}
      }
    }
  }
}
