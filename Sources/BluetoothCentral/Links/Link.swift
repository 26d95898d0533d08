import BluetoothHost

/// One link, from the wish for it to its end.
final class Link {
  /// How far it is.
  enum Phase: Equatable {
    /// Waits for its turn to connect.
    case waiting
    /// The controller has been, or is just being, told to connect.
    case connecting
    /// The attempt is to be cancelled, for this reason; `isAsked` once the controller knows.
    case cancelling(ConnectionFailure, isAsked: Bool)
    /// The attempt is to be cancelled and made again later; `isAsked` once the controller knows.
    case yielding(isAsked: Bool)
    /// There is a link.
    case open
    /// The link is to be closed; `isAsked` once the controller knows.
    case closing(isAsked: Bool)
  }

  let id: LinkID
  let peer: DeviceAddress
  var phase = Phase.waiting
  /// Whether attempts are made until it is there, or no longer wanted.
  let isPersistent: Bool
  /// When the phase must have ended.
  var deadline: Instant?
  /// For an attempt that the controller is at, when it began. For one that waits, when it may
  /// begin; `nil` for at once.
  var attempt: Instant?
  /// The controller's number for the link; what it was given last.
  var handle: ConnectionHandle?
  var client = ATTClient()
  var outbox = Outbox()
  var assembler = FrameAssembler()
  /// The readings of the signal strength that have not ended.
  var rssiReadings: [OperationID] = []

  init(id: LinkID, peer: DeviceAddress, isPersistent: Bool) {
    self.id = id
    self.peer = peer
    self.isPersistent = isPersistent
  }

  /// Whether it can carry data.
  var isOpen: Bool { phase == .open }

  /// Whether it is, or may yet become, a link.
  var isPending: Bool {
    switch phase {
    case .waiting, .connecting, .cancelling, .yielding: true
    case .open, .closing: false
    }
  }

  /// Whether the controller has been told to make it.
  var isAttempted: Bool { isPending && phase != .waiting }

  /// Whether it waits for nothing but its turn.
  func canBegin(at now: Instant) -> Bool {
    phase == .waiting && (attempt ?? now) <= now
  }
}
