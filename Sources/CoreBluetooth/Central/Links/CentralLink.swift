import BluetoothHost

/// A link that this device asked for, from the request to its end.
final class CentralLink {
  enum Phase: Equatable {
    /// It waits for its turn to connect.
    case waiting
    /// The controller tries to connect.
    case connecting
    /// The attempt is being cancelled.
    case cancelling
    /// The attempt gives way to others, and is made again later.
    case yielding
    case open
    /// The link is being ended; `isAsked` once the host has been asked.
    case closing(isAsked: Bool)
  }

  let id: LinkID
  let peer: DeviceAddress
  var phase = Phase.waiting
  /// When the current attempt began, or when a waiting one may begin; `nil` for at once.
  var attempt: Instant?
  /// Its connection index in the host; `nil` before there is a link.
  var index: Int?

  /// The operations that wait, and those that wait until the queue is empty.
  private var waiting: [(id: OperationID, operation: CentralOperation)] = []
  private var idle: [(id: OperationID, operation: CentralOperation)] = []
  var procedure: CentralProcedure?
  /// The next step of the current operation; `nil` while the host carries out a request.
  var step: CentralProcedure.Step?

  /// The last request to the host, and the value that it writes.
  var asked: (operation: ClientOperation, value: [UInt8])?
  /// Whether that request has been repeated over a protected link.
  var isRepeated = false
  /// The request that waits until the link is protected; `nil` if there is none.
  var securing: DeviceCentral.Securing?
  /// Why the link could not be encrypted; it ends for that reason.
  var encryptionFailure: HCIErrorCode?

  /// The handle of Service Changed, once it has been subscribed to.
  var serviceChanged: AttributeHandle?
  /// The RSSI readings that have not ended, and whether the host has been asked.
  var rssiReadings: [OperationID] = []
  var asksRSSI = false
  /// The channels to open, now or once the link is protected.
  var channelRequests: [DeviceCentral.ChannelRequest] = []

  init(id: LinkID, peer: DeviceAddress) {
    self.id = id
    self.peer = peer
  }

  /// Whether it can carry data.
  var isOpen: Bool { phase == .open }

  /// Whether it may yet become a link.
  var isPending: Bool { phase == .waiting || isAttempted }

  /// Whether the host has been asked to make it.
  var isAttempted: Bool { phase == .connecting || phase == .cancelling || phase == .yielding }

  /// Whether it waits and its pause is over.
  func canBegin(at now: Instant) -> Bool { phase == .waiting && (attempt ?? now) <= now }

  /// Appends an operation to the queue, or to the one for idle times.
  func enqueue(_ operation: CentralOperation, _ id: OperationID, whenIdle: Bool) {
    if whenIdle { idle.append((id, operation)) } else { waiting.append((id, operation)) }
  }

  /// Starts the next operation; `false` if none waits.
  func takeOperation() -> Bool {
    guard let next = waiting.first ?? idle.first else { return false }
    if waiting.isEmpty { idle.removeFirst() } else { waiting.removeFirst() }
    var procedure = CentralProcedure(next.id, next.operation)
    step = procedure.begin()
    self.procedure = procedure
    isRepeated = false
    return true
  }

  /// Removes every operation. Returns those that have not ended in their order, then the RSSI
  /// readings and the channels.
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
