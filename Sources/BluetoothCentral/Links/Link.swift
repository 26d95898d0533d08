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
    /// There is a link.
    case open
    /// The link is to be closed; `isAsked` once the controller knows.
    case closing(isAsked: Bool)
  }

  let id: LinkID
  let peer: DeviceAddress
  var phase = Phase.waiting
  /// When the phase must have ended.
  var deadline: Instant?
  /// The controller's number for the link; what it was given last.
  var handle: ConnectionHandle?
  var client = ATTClient()
  var outbox = Outbox()
  var assembler = FrameAssembler()

  init(id: LinkID, peer: DeviceAddress) {
    self.id = id
    self.peer = peer
  }

  /// Whether it can carry data.
  var isOpen: Bool { phase == .open }

  /// Whether it is, or may yet become, a link.
  var isPending: Bool {
    switch phase {
    case .waiting, .connecting, .cancelling: true
    case .open, .closing: false
    }
  }
}
