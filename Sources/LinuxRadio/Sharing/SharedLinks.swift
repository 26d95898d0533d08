import BluetoothHost

/// The links of a shared controller, whose they are, and how many of its buffers each has.
struct SharedLinks {
  struct Link {
    var handle: ConnectionHandle
    /// Whose it is; `nil` if it is nobody's, and to be ended.
    var half: SharedHalf?
    /// How many ACL packets of it the controller has.
    var inFlight = 0
    /// The controller has been told to end it, although it is nobody's.
    var isEnding = false
  }

  private var links: [Link] = []
  /// How many ACL packets the controller holds; 0 while that is not known.
  var bufferCount = 0

  /// The link with a handle.
  subscript(handle: ConnectionHandle) -> Link? {
    links.first { $0.handle == handle }
  }

  /// A link has been made.
  mutating func add(_ handle: ConnectionHandle, of half: SharedHalf?) {
    remove(handle)
    links.append(Link(handle: handle, half: half))
  }

  /// A link is gone, and its packets with it.
  mutating func remove(_ handle: ConnectionHandle) {
    links.removeAll { $0.handle == handle }
  }

  /// The links of a half are nobody's from now on.
  mutating func disown(_ half: SharedHalf) {
    for index in links.indices where links[index].half == half { links[index].half = nil }
  }

  /// The next link that is nobody's and that the controller has not been told to end; it counts
  /// as told.
  mutating func nextToEnd() -> ConnectionHandle? {
    guard let index = links.firstIndex(where: { $0.half == nil && !$0.isEnding }) else {
      return nil
    }
    links[index].isEnding = true
    return links[index].handle
  }

  /// A packet of a link goes to the controller.
  mutating func spend(on handle: ConnectionHandle) {
    guard let index = links.firstIndex(where: { $0.handle == handle }) else { return }
    links[index].inFlight += 1
  }

  /// The controller is done with `count` packets of a link; never with more than it had.
  mutating func giveBack(_ count: UInt16, on handle: ConnectionHandle) {
    guard let index = links.firstIndex(where: { $0.handle == handle }) else { return }
    links[index].inFlight = max(0, links[index].inFlight - Int(count))
  }

  /// The part of `count` buffers that a half has while both use the controller: half of them, and
  /// one at least.
  static func share(of count: Int, for half: SharedHalf) -> Int {
    max(1, half == .first ? count - count / 2 : count / 2)
  }

  /// Whether the controller has room for a packet of a half that shares it.
  func hasRoom(for half: SharedHalf) -> Bool {
    var all = 0
    var own = 0
    for link in links {
      all += link.inFlight
      if link.half == half { own += link.inFlight }
    }
    return all < max(1, bufferCount) && own < Self.share(of: bufferCount, for: half)
  }
}
