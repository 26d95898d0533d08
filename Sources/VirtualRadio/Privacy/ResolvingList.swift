import BluetoothHost

/// The resolving list: devices with keys, to resolve their private addresses and to generate own
/// ones for them. Core Specification, Vol 6, Part B, 4.7 and 6.
struct ResolvingList {
  /// One device.
  final class Entry {
    /// Its identity address, public or random.
    let peer: DeviceAddress
    let peerKey: Number128
    /// The identity resolving keys; `nil` for zeros, which mean no key.
    let peerResolvingKey: Number128?
    let localResolvingKey: Number128?
    /// Whether the device may also use its identity address.
    var isInDevicePrivacyMode = false
    /// The private address that the device used last, or that this controller used for it.
    var peerAddress: DeviceAddress?
    /// The private address that this controller uses for it.
    var localAddress: DeviceAddress?

    init(_ request: LEAddDeviceToResolvingList) {
      peer = request.peer
      peerKey = request.peerKey
      peerResolvingKey = request.peerKey == .zero ? nil : request.peerKey
      localResolvingKey = request.localKey == .zero ? nil : request.localKey
    }

    fileprivate func resolves(_ address: DeviceAddress) -> Bool {
      peerAddress == address || peerResolvingKey.map { address.isResolved(by: $0) } == true
    }
  }

  /// Whether addresses are resolved. Own private addresses are generated in any case.
  var isEnabled = false
  private(set) var entries: [Entry] = []

  /// The entry of the device with this identity address.
  func entry(_ identity: DeviceAddress) -> Entry? { entries.first { $0.peer == identity } }

  /// Whether the device or its key is in the list.
  func contains(_ request: LEAddDeviceToResolvingList) -> Bool {
    entries.contains {
      $0.peer == request.peer || request.peerKey != .zero && $0.peerKey == request.peerKey
    }
  }

  /// Adds a device.
  mutating func add(_ request: LEAddDeviceToResolvingList) { entries.append(Entry(request)) }

  /// Removes a device; `false` if it was not in the list.
  mutating func remove(_ identity: DeviceAddress) -> Bool {
    guard let index = entries.firstIndex(where: { $0.peer == identity }) else { return false }
    entries.remove(at: index)
    return true
  }

  /// Removes every device.
  mutating func removeAll() { entries.removeAll() }

  /// The sender of a packet from `address`; `nil` if the packet must be ignored, because the sender
  /// is in network privacy mode and uses its identity address.
  func sender(at address: DeviceAddress) -> Sender? {
    guard isEnabled, !entries.isEmpty else { return Sender(address: address) }
    if address.isResolvable {
      return Sender(address: address, entry: entries.first { $0.resolves(address) })
    }
    if let entry = entry(address), entry.peerResolvingKey != nil, !entry.isInDevicePrivacyMode {
      return nil
    }
    return Sender(address: address)
  }
}

/// The sender of a packet.
struct Sender {
  /// The address in the packet.
  let address: DeviceAddress
  /// The device, if the controller has resolved its private address.
  var entry: ResolvingList.Entry?

  /// The identity address of a resolved device; otherwise the packet's address.
  var identity: DeviceAddress { entry?.peer ?? address }

  /// The identity with the type that events use.
  var reportedAddress: DeviceAddress { entry?.peer.asResolved ?? address }

  /// The resolved private address; zeros if the address was not resolved.
  var resolvedAddress: DeviceAddress { entry == nil ? .zero : address }

  /// Records the address for LE Read Peer Resolvable Address.
  func note() { entry?.peerAddress = address }
}

extension DeviceAddress {
  /// The same address with the type that events use for a resolved device: 0x02 or 0x03.
  fileprivate var asResolved: DeviceAddress {
    DeviceAddress(kind: Kind(rawValue: kind.rawValue | 0b10), bytes: bytes)
  }
}
