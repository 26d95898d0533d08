import BluetoothHost

/// One of the two programs of a `SharedController`.
public enum SharedHalf: Sendable {
  /// The one that has the links which this device began, and hears advertisers: the central.
  case first
  /// The one that has the links which others began: the peripheral.
  case second

  /// The one beside it.
  public var other: SharedHalf { self == .first ? .second : .first }
}

/// A few halves in an order. An array would be allocated, for every packet.
struct SharedHalfOrder: Sequence, IteratorProtocol {
  private var left: SharedHalf?
  private var right: SharedHalf?

  init(_ left: SharedHalf?, _ right: SharedHalf?) {
    self.left = left
    self.right = right
  }

  mutating func next() -> SharedHalf? {
    if let half = left {
      left = nil
      return half
    }
    defer { right = nil }
    return right
  }
}

/// What the sharing knows of one half.
struct SharedHalfState {
  /// Whether it uses the controller.
  var isJoined = false
  /// Whether its Reset has been answered since the controller last lost its state: it knows what
  /// it may rely on, and is told of events.
  var isUp = false
  /// Its Reset is answered when what it had the controller do has been undone.
  var awaitsReset = false
  /// What it had the controller do is to be undone.
  var mustBeUndone = false

  /// The events that it has asked for, if it has.
  var eventMask: UInt64?
  /// The LE events that it has asked for, if it has.
  var leEventMask: UInt64?

  // What the controller may be doing for it.
  var mayAdvertise = false
  var mayScan = false
  var isConnecting = false

  /// A command that waits for the other half's to be answered; empty if none does.
  var heldCommand: [UInt8] = []
  /// Data that waits for room in the controller.
  var backlog = PacketBacklog()
  /// A command of its own that an answer may yet come to, although nobody waits for it.
  var late: HCIOpcode?

  /// The controller has lost its state, or is about to.
  mutating func forgetController() {
    let wasJoined = isJoined
    self = SharedHalfState()
    isJoined = wasJoined
  }
}

/// Something of each half.
struct SharedHalves {
  private var first = SharedHalfState()
  private var second = SharedHalfState()

  subscript(half: SharedHalf) -> SharedHalfState {
    get { half == .first ? first : second }
    _modify {
      switch half {
      case .first: yield &first
      case .second: yield &second
      }
    }
  }

  /// Those that use the controller.
  var joined: SharedHalfOrder {
    SharedHalfOrder(first.isJoined ? .first : nil, second.isJoined ? .second : nil)
  }

  /// Whether both use the controller.
  var areBothJoined: Bool { first.isJoined && second.isJoined }

  /// The half that uses the controller alone; `nil` if both do, or none.
  var sole: SharedHalf? {
    switch (first.isJoined, second.isJoined) {
    case (true, false): .first
    case (false, true): .second
    default: nil
    }
  }
}

/// ACL packets in the order in which they came.
///
/// Each tells its own length, so they lie one after another, and nothing is allocated once there
/// is room for as many as have ever waited.
struct PacketBacklog {
  private var bytes: [UInt8] = []
  private var start = 0
  /// How many packets there are.
  private(set) var count = 0

  private var first: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span.extracting(start..<start + firstLength) }
  }

  private var firstLength: Int {
    guard count > 0 else { return 0 }
    var reader = ByteReader(bytes.span.extracting(start..<bytes.count))
    guard reader.readUInt8() != nil, ACLHeader(&reader) != nil, let length = reader.readUInt16()
    else { return 0 }
    return ACLHeader.packetHeaderLength + Int(length)
  }

  /// Adds a whole ACL packet.
  mutating func append(_ packet: Span<UInt8>) {
    for index in packet.indices { bytes.append(packet[index]) }
    count += 1
  }

  /// Moves the first packet to `writer`, and gives its link; `nil` if there is none, or no room.
  mutating func moveFirst(to writer: inout ByteWriter) -> ConnectionHandle? {
    guard case .acl(let header, _)? = HCIPacket(first), first.count <= writer.freeCapacity else {
      return nil
    }
    writer.write(first)
    removeFirst()
    return header.handle
  }

  private mutating func removeFirst() {
    guard count > 0 else { return }
    start += firstLength
    count -= 1
    guard count == 0 else { return }
    bytes.removeAll(keepingCapacity: true)
    start = 0
  }

  /// Takes the packets of a link away.
  mutating func removeAll(on handle: ConnectionHandle) {
    guard count > 0 else { return }
    var kept = PacketBacklog()
    while count > 0 {
      if case .acl(let header, _)? = HCIPacket(first), header.handle != handle {
        kept.append(first)
      }
      removeFirst()
    }
    self = kept
  }
}
