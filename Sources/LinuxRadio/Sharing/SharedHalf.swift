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
