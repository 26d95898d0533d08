import BluetoothHost

/// Asks a ball one question: finds it, connects, subscribes, writes the question, waits for the
/// answer, and disconnects.
///
/// It does no input or output, as `TestCentral` does none, and is called in the same way. It
/// handles the events of its central.
package final class BallClient {
  /// The question and its parameters.
  package let inquiry: BallInquiry

  let central: TestCentral
  var stage = Stage.idle
  /// When the stage must have ended.
  var stageDeadline: Instant?
  /// When the search must have ended, even if a ball is found that cannot be reached.
  var searchDeadline: Instant?
  var link: LinkID?
  /// The operation that the client waits for.
  var operation: OperationID?
  /// The service and its characteristics, once known.
  var serviceRange = AttributeHandleRange.all
  var question: RemoteCharacteristic?
  var answer: RemoteCharacteristic?
  var answerConfiguration: AttributeHandle?
  /// An answer that came before the response to the question.
  var earlyAnswer: String?
  /// Why the last ball that was found could not be reached.
  var unreachable: ConnectionFailure?

  private var events: [BallClientEvent] = []

  enum Stage: Equatable {
    case idle
    case searching
    /// A ball was found whose name is incomplete.
    case naming(Discovery)
    case connecting
    case exchangingMTU
    case discoveringService
    case discoveringCharacteristics
    case discoveringConfiguration
    case subscribing
    case writing
    case waiting
    case unsubscribing(BallOutcome)
    case disconnecting(BallOutcome)
    case finished
  }

  /// A client that has not started.
  package init(_ inquiry: BallInquiry, configuration: HostConfiguration = .central) {
    self.inquiry = inquiry
    central = TestCentral(configuration)
  }

  /// Starts the radio, then the search.
  package func start(at now: Instant) {
    central.start(at: now)
    central.scan()
    stage = .searching
  }

  /// Cancels: closes the link, if there is one. The event `finished` follows.
  package func stop(at now: Instant) {
    switch stage {
    case .idle, .finished, .disconnecting: return
    case .unsubscribing(let outcome): leave(outcome, at: now)
    default: decide(.cancelled, at: now)
    }
  }

  /// Takes one whole packet from the controller, H4's type byte first.
  package func receive(_ packet: Span<UInt8>, at now: Instant) {
    central.receive(packet, at: now)
    handleEvents(at: now)
  }

  /// Writes the next packet for the controller; `false` if there is none now.
  package func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    let isWritten = central.nextPacket(into: &writer, at: now)
    handleEvents(at: now)
    // The last operation may have ended and allowed the central's next one.
    return isWritten || central.nextPacket(into: &writer, at: now)
  }

  /// The controller is gone.
  package func radioLost(at now: Instant) {
    central.radioLost()
    handleEvents(at: now)
    if stage != .finished { finish(.radioLost, decided: true) }
  }

  /// When `advance(to:)` has to be called; `nil` if nothing is due.
  package var deadline: Instant? {
    guard stage != .finished else { return nil }
    guard let stageDeadline else { return central.deadline }
    return min(stageDeadline, central.deadline ?? stageDeadline)
  }

  /// Ends what has waited for too long.
  package func advance(to now: Instant) {
    central.advance(to: now)
    handleEvents(at: now)
    guard let stageDeadline, stageDeadline <= now else { return }
    self.stageDeadline = nil
    expire(at: now)
  }

  /// Takes the oldest event; `nil` without one.
  package func nextEvent() -> BallClientEvent? {
    events.isEmpty ? nil : events.removeFirst()
  }

  func post(_ event: BallClientEvent) {
    events.append(event)
  }

  private func handleEvents(at now: Instant) {
    while let event = central.nextEvent() {
      if stage != .finished { handle(event, at: now) }
    }
  }

  private func expire(at now: Instant) {
    switch stage {
    case .searching:
      decide(unreachable.map { .unreachable($0) } ?? .noBallFound, at: now)
    case .naming(let discovery):
      // A ball without a name is accepted, unless a name was requested.
      if inquiry.name == nil { connect(to: discovery, at: now) } else { search(at: now) }
    case .unsubscribing(let outcome):
      leave(outcome, at: now)
    case .idle, .connecting, .disconnecting, .finished:
      return
    default:
      decide(.timedOut, at: now)
    }
  }
}
