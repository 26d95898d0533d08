import BluetoothHost

// Adding and removing services.
extension PeripheralEngine {
  /// Publishes a service. The delegate is called with the result.
  func add(_ definition: ServiceDefinition, for client: PeripheralHandle) {
    do throws(ServiceRefusal) {
      let range = try publish(definition, for: client)
      device.host.server.databaseChanged(in: range)
      client.callManager { manager in
        definition.bindObjects()
        manager.delegate?.peripheralManager(manager, didAdd: definition.object, error: nil)
      }
      endTurn()
    } catch {
      refuse(definition.object, because: error, for: client)
    }
  }

  func refuse(
    _ service: CBMutableService, because refusal: ServiceRefusal, for client: PeripheralHandle
  ) {
    client.callManager { manager in
      Misuse.log(manager, refusal.reason)
      manager.delegate?.peripheralManager(
        manager, didAdd: service, error: CBError(refusal.code))
    }
  }

  private func publish(
    _ definition: ServiceDefinition, for client: PeripheralHandle
  ) throws(ServiceRefusal) -> AttributeHandleRange {
    let name = "The service \(definition.object.uuid)"
    guard !published.contains(where: { $0.definition.object === definition.object }) else {
      throw ServiceRefusal("\(name) has been added already")
    }
    let known = Set(
      published.flatMap { $0.definition.characteristics.map { ObjectIdentifier($0.object) } })
    for characteristic in definition.characteristics
    where known.contains(ObjectIdentifier(characteristic.object)) {
      throw ServiceRefusal("The characteristic \(characteristic.object.uuid) is in another service")
    }
    var included: [AttributeHandle] = []
    for service in definition.included {
      guard
        let other = published.first(where: {
          $0.definition.object === service && $0.client === client
        })
      else {
        throw ServiceRefusal("\(name) includes \(service.uuid), which has to be added first")
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
      throw ServiceRefusal(.outOfSpace, "There is no room for another service: \(name)")
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
    device.host.server.databaseChanged(in: gone.range)
    for handle in includes {
      device.host.server.databaseChanged(in: AttributeHandleRange(start: handle, end: handle))
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
