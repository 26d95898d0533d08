import BluetoothHost
import Linux

/// The links between a `BlueZController` and its host, by index.
struct VirtualLinks: ~Copyable {
  /// A link.
  struct Link {
    var handle: ConnectionHandle
    /// The host's role.
    var role: LEConnectionComplete.Role
    var peer: DeviceAddress
    /// The last known signal strength in dBm; `LEAdvertisingReport.unknownRSSI` if there is none.
    var rssi: Int8
  }

  /// The most links at a time.
  static var capacity: Int { 16 }

  private var links = InlineArray<16, Link?>(repeating: nil)
  /// The number of links that have been opened.
  private var count: UInt16 = 0

  /// The link with this index. An unknown index has a link without a peer.
  subscript(_ index: Int) -> Link {
    get {
      let link = index >= 0 && index < Self.capacity ? links[index] : nil
      return link
        ?? Link(
          handle: ConnectionHandle(rawValue: 0x0FFF), role: .peripheral, peer: .zero,
          rssi: LEAdvertisingReport.unknownRSSI)
    }
    set { if contains(index) { links[index] = newValue } }
  }

  /// Whether there is a link with this index.
  func contains(_ index: Int) -> Bool { index >= 0 && index < Self.capacity && links[index] != nil }

  /// Whether there is a link to `peer` on which the host has this role.
  func contains(_ peer: DeviceAddress, _ role: LEConnectionComplete.Role) -> Bool {
    for index in 0..<Self.capacity {
      if let link = links[index], link.peer == peer, link.role == role { return true }
    }
    return false
  }

  /// The index of the link with this handle.
  func index(of handle: ConnectionHandle) -> Int? {
    let index = Int(handle.rawValue) % Self.capacity
    return links[index]?.handle == handle ? index : nil
  }

  /// Adds a link, and returns its index; `nil` if there are too many. Its handle is not that of a link that ended
  /// recently, so a late packet of the host never reaches another peer.
  mutating func add(_ role: LEConnectionComplete.Role, _ peer: DeviceAddress, rssi: Int8) -> Int? {
    for index in 0..<Self.capacity where links[index] == nil {
      // 0x0EFF is the last handle: Core Specification, Vol 4, Part E, 5.4.2.
      count = (count &+ 1) % (0x0F00 / UInt16(Self.capacity))
      let handle = count &* UInt16(Self.capacity) &+ UInt16(truncatingIfNeeded: index)
      links[index] = Link(
        handle: ConnectionHandle(rawValue: handle), role: role, peer: peer, rssi: rssi)
      return index
    }
    return nil
  }

  /// Removes the link with this index.
  mutating func remove(_ index: Int) { if contains(index) { links[index] = nil } }
}
