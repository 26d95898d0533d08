import BluetoothHost

/// The controller's buffers for data: how long, how many, and how many are free.
///
/// Core Specification, Vol 4, Part E, 4.1.1.
struct ACLBudget {
  /// The most data bytes in a packet.
  private(set) var length = 0
  /// How many packets the controller holds.
  private(set) var total = 0
  private var used: [ConnectionHandle: Int] = [:]

  /// Whether a packet may be sent.
  var hasFree: Bool { used.values.reduce(0, +) < total }

  /// The controller told what it has; `false` if that is of no use.
  mutating func set(length: Int, total: Int) -> Bool {
    self.length = length
    self.total = total
    used = [:]
    return length > 0 && total > 0
  }

  /// A packet has been sent on a link.
  mutating func spend(on handle: ConnectionHandle) {
    used[handle, default: 0] += 1
  }

  /// The controller is done with `count` of a link's packets. It is not believed to be done with
  /// more than it was given.
  mutating func giveBack(_ count: UInt16, on handle: ConnectionHandle) {
    guard let spent = used[handle] else { return }
    used[handle] = max(0, spent - Int(count))
  }

  /// A link has ended, and its packets are gone without being told of: 4.3.
  mutating func giveBackAll(on handle: ConnectionHandle) {
    used[handle] = nil
  }
}
