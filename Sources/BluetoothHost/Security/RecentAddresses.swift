/// The last known private addresses of bonded devices. To connect to an identity address, the host
/// uses them if the controller does not resolve addresses.
struct RecentAddresses {
  private struct Entry {
    var identity = DeviceAddress.zero
    var address = DeviceAddress.zero
  }

  private var entries = InlineArray<4, Entry>(repeating: Entry())
  private var next = 0

  /// Stores the `address` that the device with `identity` uses.
  mutating func note(_ address: DeviceAddress, of identity: DeviceAddress) {
    var slot = next
    for index in entries.indices where entries[index].identity == identity { slot = index }
    if slot == next { next = (next &+ 1) % entries.count }
    entries[slot] = Entry(identity: identity, address: address)
  }

  /// The address of the device with `identity`; `nil` if it is unknown.
  func address(of identity: DeviceAddress) -> DeviceAddress? {
    for index in entries.indices where entries[index].identity == identity {
      return entries[index].address
    }
    return nil
  }
}
