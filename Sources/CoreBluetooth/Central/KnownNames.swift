import BluetoothHost

/// The name of a peripheral.
struct KnownName {
  let text: String
  /// Whether it is the GAP Device Name, which was read over a link, and not an advertised name.
  let isRead: Bool
}

/// The names of the peripherals that this radio has heard, also of those that the program has
/// released.
struct KnownNames {
  /// How many names are remembered. A new one replaces the oldest.
  static let capacity = 1_024

  private var names: [DeviceAddress: KnownName] = [:]
  /// The peripherals, the oldest first.
  private var order: [DeviceAddress] = []

  subscript(_ address: DeviceAddress) -> KnownName? { names[address] }

  /// An advertised name does not replace one that was read.
  mutating func note(_ name: KnownName, of address: DeviceAddress) {
    guard let known = names[address] else {
      if order.count == Self.capacity { names[order.removeFirst()] = nil }
      order.append(address)
      names[address] = name
      return
    }
    if name.isRead || !known.isRead { names[address] = name }
  }
}
