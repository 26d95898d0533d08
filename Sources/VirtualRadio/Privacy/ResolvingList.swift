import BluetoothHost

/// The devices whose private addresses a controller resolves, and for which it has private addresses of
/// its own.
///
/// Core Specification, Vol 6, Part B, 4.7 and 6.
struct ResolvingList {
  /// One device.
  final class Entry {
    /// Its identity address, public or random.
    let peer: DeviceAddress
    let peerKey: Number128
    let peerResolvingKey: ResolvingKey?
    let localResolvingKey: ResolvingKey?
    /// Whether the device may use its identity address although it has a key.
    var isInDevicePrivacyMode = false
    /// The private address that the device used last, or is addressed by.
    var peerAddress: DeviceAddress?
    /// The private address that this controller uses for it.
    var localAddress: DeviceAddress?

    init(_ request: LEAddDeviceToResolvingList) {
      peer = request.peer
      peerKey = request.peerKey
      peerResolvingKey = ResolvingKey(request.peerKey)
      localResolvingKey = ResolvingKey(request.localKey)
    }

    fileprivate func resolves(_ address: DeviceAddress) -> Bool {
      peerAddress == address || peerResolvingKey?.resolves(address) == true
    }
  }

  /// Whether addresses are resolved. Own private addresses are made in any case.
  var isEnabled = false
  private(set) var entries: [Entry] = []

  /// The entry of the device with this identity address.
  func entry(_ identity: DeviceAddress) -> Entry? {
    entries.first { $0.peer == identity }
  }

  /// Whether the device, or its key, is there.
  func contains(_ request: LEAddDeviceToResolvingList) -> Bool {
    entries.contains {
      $0.peer == request.peer || request.peerKey != .zero && $0.peerKey == request.peerKey
    }
  }

  /// Adds a device.
  mutating func add(_ request: LEAddDeviceToResolvingList) {
    entries.append(Entry(request))
  }

  /// Removes a device; `false` if it was not there.
  mutating func remove(_ identity: DeviceAddress) -> Bool {
    guard let index = entries.firstIndex(where: { $0.peer == identity }) else { return false }
    entries.remove(at: index)
    return true
  }

  /// Removes every device.
  mutating func removeAll() {
    entries.removeAll()
  }

  /// The sender of a packet from `address`; `nil` if the packet is to be ignored, because the sender
  /// uses its identity address although it is in network privacy mode.
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

/// Who a packet is from.
struct Sender {
  /// The address that the packet has.
  let address: DeviceAddress
  /// The device whose private address that is, if the controller has resolved it.
  var entry: ResolvingList.Entry?

  /// The identity address of a device that was resolved, the packet's address of any other.
  var identity: DeviceAddress { entry?.peer ?? address }

  /// The identity as events state it.
  var stated: DeviceAddress { entry?.peer.asResolved ?? address }

  /// The private address that was resolved; zeros if none was.
  var resolvedAddress: DeviceAddress { entry == nil ? .zero : address }

  /// Keeps the address for the host that asks for it.
  func note() {
    entry?.peerAddress = address
  }
}
