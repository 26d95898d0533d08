import BluetoothHost

/// A link that this device asked for, from the wish for it to its end.
final class CentralLink {
  /// How far it is.
  enum Phase: Equatable {
    /// It waits for its turn to connect.
    case waiting
    /// The controller tries to connect.
    case connecting
    /// The attempt is no longer wanted.
    case cancelling
    /// The attempt gives way, and is made again later.
    case yielding
    /// There is a link.
    case open
    /// The link is no longer wanted; `isAsked` once the host knows.
    case closing(isAsked: Bool)
  }

  let id: LinkID
  let peer: DeviceAddress
  var phase = Phase.waiting
  /// For an attempt under way, when it began. For one that waits, when it may begin; `nil` for at
  /// once.
  var attempt: Instant?
  /// Its number in the host; `nil` before there is a link.
  var index: Int?

  /// The operations that wait, and those that wait until there are no others.
  private var waiting: [(id: OperationID, operation: CentralOperation)] = []
  private var idle: [(id: OperationID, operation: CentralOperation)] = []
  /// The operation under way.
  var procedure: CentralProcedure?
  /// The next step of the operation under way; `nil` while the host is at it.
  var step: CentralProcedure.Step?

  /// What the host was asked last, and what it writes.
  var asked: (operation: ClientOperation, value: [UInt8])?
  /// Whether that has been asked a second time, over a protected link.
  var isRepeated = false
  /// The request that waits until the link is protected; `nil` if there is none.
  var securing: DeviceCentral.Securing?
  /// Why the link, which ends for that, could not be encrypted.
  var encryptionFailure: HCIErrorCode?

  /// The handle of Service Changed, once it has been subscribed to.
  var serviceChanged: AttributeHandle?
  /// The readings of the signal strength that have not ended, and whether the host has been asked.
  var rssiReadings: [OperationID] = []
  var asksRSSI = false
  /// The channels for which the host has yet to be asked, for the first time or once the link is protected.
  var channelRequests: [DeviceCentral.ChannelRequest] = []

  init(id: LinkID, peer: DeviceAddress) {
    self.id = id
    self.peer = peer
  }

  /// Whether it can carry data.
  var isOpen: Bool { phase == .open }

  /// Whether it is, or may yet become, a link.
  var isPending: Bool { phase == .waiting || isAttempted }

  /// Whether the host has been asked to make it.
  var isAttempted: Bool { phase == .connecting || phase == .cancelling || phase == .yielding }

  /// Whether it waits for nothing but its turn.
  func canBegin(at now: Instant) -> Bool { phase == .waiting && (attempt ?? now) <= now }

  /// Puts an operation at the end of the queue, or of the one for when there is nothing else to do.
  func enqueue(_ operation: CentralOperation, _ id: OperationID, whenIdle: Bool) {
    if whenIdle { idle.append((id, operation)) } else { waiting.append((id, operation)) }
  }

  /// Takes the next operation up; `false` if none waits.
  func takeOperation() -> Bool {
    guard let next = waiting.first ?? idle.first else { return false }
    if waiting.isEmpty { idle.removeFirst() } else { waiting.removeFirst() }
    var procedure = CentralProcedure(next.id, next.operation)
    step = procedure.begin()
    self.procedure = procedure
    isRepeated = false
    return true
  }

  /// Forgets every operation: gives those that have not ended, in their order, and then the readings
  /// of the signal strength and the channels.
  func takeOperations() -> [OperationID] {
    defer {
      procedure = nil
      step = nil
      securing = nil
      waiting = []
      idle = []
      rssiReadings = []
      channelRequests = []
    }
    return [procedure?.id].compactMap(\.self) + (waiting + idle).map(\.id) + rssiReadings
      + channelRequests.map(\.operation)
  }
}
