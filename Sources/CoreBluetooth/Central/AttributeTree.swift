import BluetoothHost

/// The attributes of a peripheral that have been discovered: one object for each, which stays the
/// same for as long as the attribute does.
struct AttributeTree {
  /// By the handle of the declaration; those that are only included by others, too.
  private var services: [AttributeHandle: CBService] = [:]
  /// Those that were looked for as services in their own right; `nil` before.
  private var listed: Set<AttributeHandle>?
  /// By the handle of the value.
  private var characteristics: [AttributeHandle: CBCharacteristic] = [:]
  private var descriptors: [AttributeHandle: CBDescriptor] = [:]

  /// The services discovered, by handle; `nil` before the first discovery.
  var listedServices: [CBService]? {
    listed.map { $0.sorted().compactMap { services[$0] } }
  }

  func characteristic(_ value: AttributeHandle) -> CBCharacteristic? { characteristics[value] }

  // MARK: Whether an object is still of this tree

  func holds(_ service: CBService) -> Bool {
    service.remote.map { services[$0.range.start] === service } ?? false
  }

  func holds(_ characteristic: CBCharacteristic) -> Bool {
    characteristic.remote.map { characteristics[$0.value] === characteristic } ?? false
  }

  func holds(_ descriptor: CBDescriptor) -> Bool {
    descriptor.remote.map { descriptors[$0.handle] === descriptor } ?? false
  }

  // MARK: What was discovered
  //
  // What is discovered in something that has gone meanwhile is not taken.

  /// The services with these UUIDs, or all, are those found.
  mutating func merge(
    services found: [FoundService], of uuids: [BluetoothUUID]?, on peripheral: CBPeripheral
  ) {
    for service in listedServices ?? [] {
      guard let remote = service.remote, uuids?.contains(remote.uuid) != false else { continue }
      if !found.contains(remote) { remove(service) }
    }
    for remote in found { _ = service(remote, on: peripheral) }
    listed = (listed ?? []).union(found.map(\.range.start))
  }

  /// The services that `owner` includes, of these UUIDs or all, are those found; `false` if it has
  /// gone.
  mutating func merge(
    included found: [FoundService], of uuids: [BluetoothUUID]?, in owner: CBService,
    on peripheral: CBPeripheral
  ) -> Bool {
    guard holds(owner) else { return false }
    let objects = found.map { service($0, on: peripheral) }
    owner.includedServices = Self.merge(objects, of: uuids, into: owner.includedServices)
    return true
  }

  /// The characteristics of `service`, of these UUIDs or all, are those found; `false` if it has
  /// gone.
  mutating func merge(
    characteristics found: [FoundCharacteristic], of uuids: [BluetoothUUID]?,
    in service: CBService
  ) -> Bool {
    guard holds(service) else { return false }
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

  /// The descriptors of `characteristic` are those found; `false` if it has gone.
  mutating func merge(
    descriptors found: [RemoteDescriptor], in characteristic: CBCharacteristic
  ) -> Bool {
    guard holds(characteristic) else { return false }
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

  /// Whatever lies in this range is no longer what it was; gives the services of it.
  mutating func invalidate(_ range: AttributeHandleRange) -> [CBService] {
    let gone = services.values.filter { $0.remote?.range.overlaps(range) == true }
      .sorted { ($0.remote?.range.start ?? .none) < ($1.remote?.range.start ?? .none) }
    for service in gone { remove(service) }
    return gone
  }

  // MARK: Objects

  private mutating func service(_ remote: FoundService, on peripheral: CBPeripheral) -> CBService {
    if let known = services[remote.range.start] {
      if known.remote?.uuid == remote.uuid, known.remote?.range == remote.range { return known }
      remove(known)
    }
    let object = CBService(remote, of: peripheral)
    services[remote.range.start] = object
    return object
  }

  private mutating func remove(_ service: CBService) {
    guard let range = service.remote?.range else { return }
    services[range.start] = nil
    listed?.remove(range.start)
    characteristics = characteristics.filter { !range.holds($0.key) }
    descriptors = descriptors.filter { !range.holds($0.key) }
  }

  /// Those of other UUIDs than were asked for stay; the others are those found.
  private static func merge<Object: CBAttribute>(
    _ found: [Object], of uuids: [BluetoothUUID]?, into known: [Object]?
  ) -> [Object] {
    guard let uuids else { return found }
    return (known ?? []).filter { !uuids.contains($0.uuid.uuid) } + found
  }
}
