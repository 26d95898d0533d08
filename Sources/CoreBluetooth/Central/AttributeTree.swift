import BluetoothHost

/// The discovered attributes of a peripheral: one object for each attribute, as long as it exists.
struct AttributeTree {
  /// By the handle of the declaration. Includes services that are only included by others.
  fileprivate var services: [AttributeHandle: CBService] = [:]
  /// The services found by a service discovery; `nil` before the first.
  private var listed: Set<AttributeHandle>?
  /// By value handle.
  fileprivate var characteristics: [AttributeHandle: CBCharacteristic] = [:]
  fileprivate var descriptors: [AttributeHandle: CBDescriptor] = [:]
  /// The services that were invalidated and not discovered again, by the handle of the declaration.
  private var invalidated: [AttributeHandle: CBService] = [:]

  /// The services discovered, by handle; `nil` before the first discovery.
  var listedServices: [CBService]? { listed.map { $0.sorted().compactMap { services[$0] } } }

  func characteristic(_ value: AttributeHandle) -> CBCharacteristic? { characteristics[value] }

  // MARK: Discovery results
  //
  // Results for a service or a characteristic that has been removed meanwhile are dropped.

  /// Replaces the services with these UUIDs, or all of them, by those found.
  mutating func merge(
    services found: [FoundService], of uuids: [BluetoothUUID]?, on peripheral: CBPeripheral
  ) {
    for service in listedServices ?? [] {
      guard let remote = service.remote, remote.isWanted(among: uuids) else { continue }
      if !found.contains(remote) { remove(service) }
    }
    for remote in found { _ = service(remote, on: peripheral) }
    listed = (listed ?? []).union(found.map(\.range.start))
  }

  /// Replaces the included services of `owner` with these UUIDs, or all of them, by those found.
  /// Returns `false` if `owner` has been removed.
  mutating func merge(
    included found: [FoundService], of uuids: [BluetoothUUID]?, in owner: CBService,
    on peripheral: CBPeripheral
  ) -> Bool {
    guard owner.isHeld(in: self) else { return false }
    let objects = found.map { service($0, on: peripheral) }
    owner.includedServices = Self.merge(objects, of: uuids, into: owner.includedServices)
    return true
  }

  /// Replaces the characteristics of `service` with these UUIDs, or all of them, by those found.
  /// Returns `false` if `service` has been removed.
  mutating func merge(
    characteristics found: [FoundCharacteristic], of uuids: [BluetoothUUID]?, in service: CBService
  ) -> Bool {
    guard service.isHeld(in: self) else { return false }
    let objects = found.map { remote in
      if let known = characteristics[remote.value], known.remote == remote,
        known.service === service
      {
        return known
      }
      let object = CBCharacteristic(remote, of: service)
      characteristics[remote.value] = object
      return object
    }
    service.characteristics = Self.merge(objects, of: uuids, into: service.characteristics)
    return true
  }

  /// Replaces the descriptors of `characteristic` by those found. Returns `false` if
  /// `characteristic` has been removed.
  mutating func merge(descriptors found: [RemoteDescriptor], in characteristic: CBCharacteristic)
    -> Bool
  {
    guard characteristic.isHeld(in: self) else { return false }
    characteristic.descriptors = found.map { remote in
      if let known = descriptors[remote.handle], known.remote == remote,
        known.characteristic === characteristic
      {
        return known
      }
      let object = CBDescriptor(remote, of: characteristic)
      descriptors[remote.handle] = object
      return object
    }
    return true
  }

  /// Removes the services that overlap this range. Returns them with those that were removed there
  /// before and not discovered again: one of these may be back.
  mutating func invalidate(_ range: AttributeHandleRange) -> [CBService] {
    for service in services.values where service.overlaps(range) {
      remove(service)
      forgetInvalidated(in: service.remote?.range)
      if let start = service.remote?.range.start { invalidated[start] = service }
    }
    return invalidated.filter { $0.value.overlaps(range) }.sorted { $0.key < $1.key }.map(\.value)
  }

  private mutating func forgetInvalidated(in range: AttributeHandleRange?) {
    guard let range else { return }
    invalidated = invalidated.filter { !$0.value.overlaps(range) }
  }

  // MARK: Objects

  private mutating func service(_ remote: FoundService, on peripheral: CBPeripheral) -> CBService {
    if let known = services[remote.range.start] {
      if known.remote?.uuid == remote.uuid, known.remote?.range == remote.range { return known }
      remove(known)
    }
    let object = CBService(remote, of: peripheral)
    services[remote.range.start] = object
    forgetInvalidated(in: remote.range)
    return object
  }

  private mutating func remove(_ service: CBService) {
    guard let range = service.remote?.range else { return }
    services[range.start] = nil
    listed?.remove(range.start)
    characteristics = characteristics.filter { !range.contains($0.key) }
    descriptors = descriptors.filter { !range.contains($0.key) }
  }

  /// Keeps the known objects with other UUIDs than `uuids`, and adds those found.
  private static func merge<Object: CBAttribute>(
    _ found: [Object], of uuids: [BluetoothUUID]?, into known: [Object]?
  ) -> [Object] {
    guard let uuids else { return found }
    return (known ?? []).filter { !uuids.contains($0.uuid.uuid) } + found
  }
}

/// An attribute that was discovered.
protocol DiscoveredAttribute: CBAttribute {
  associatedtype Remote
  /// Where it is in the server; `nil` for an attribute of this device.
  var remote: Remote? { get }
  /// Whether it is still in `tree`.
  func isHeld(in tree: AttributeTree) -> Bool
}

extension CBService: DiscoveredAttribute {
  func isHeld(in tree: AttributeTree) -> Bool {
    remote.map { tree.services[$0.range.start] === self } ?? false
  }

  fileprivate func overlaps(_ range: AttributeHandleRange) -> Bool {
    remote?.range.overlaps(range) == true
  }
}

extension CBCharacteristic: DiscoveredAttribute {
  func isHeld(in tree: AttributeTree) -> Bool {
    remote.map { tree.characteristics[$0.value] === self } ?? false
  }
}

extension CBDescriptor: DiscoveredAttribute {
  func isHeld(in tree: AttributeTree) -> Bool {
    remote.map { tree.descriptors[$0.handle] === self } ?? false
  }
}
