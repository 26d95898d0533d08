import BluetoothCentral
import BluetoothHost
import LinuxRadio

/// The central's half of a device.
struct CentralProgram: RadioProgram {
  /// What it scans and connects with.
  let central: Central
  /// Who is told what happens to it, on the radio's thread, in order: the managers' engine first.
  var onEvent: [(CentralEvent, Instant) -> Void] = []
  private let engine: CentralEngine

  /// How long a controller that could not be started is left alone, in milliseconds.
  private static let pause: UInt32 = 5_000

  /// When to start a controller once more that has failed too often.
  private var restart: Instant?
  private var links: [LinkID] = []
  private var now = Instant(rawValue: 0)
  private var isEnding = false

  /// The central of `engine`, for its managers.
  init(_ engine: CentralEngine) {
    self.engine = engine
    central = engine.central
    onEvent.append { event, now in engine.handle(event, at: now) }
  }

  mutating func radioIsReady(at now: Instant) {
    restart = nil
    central.start(at: now)
    tellEvents(at: now)
  }

  mutating func radioIsLost(_ error: RadioError, at now: Instant) {
    restart = nil
    central.radioLost()
    tellEvents(at: now)
  }

  mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    central.receive(packet, at: now)
    tellEvents(at: now)
  }

  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    central.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? {
    [central.deadline, engine.deadline, restart].compactMap(\.self).min()
  }

  mutating func advance(to now: Instant) {
    self.now = now
    if let restart, restart <= now {
      self.restart = nil
      central.start(at: now)
    }
    central.advance(to: now)
    engine.advance(to: now)
    tellEvents(at: now)
  }

  /// What was sent may have ended something.
  mutating func turnEnded() { tellEvents(at: now) }

  /// Every link is ended.
  mutating func shutDown(at now: Instant) {
    isEnding = true
    engine.shutDown(at: now)
    central.stopScan()
    for link in links { central.disconnect(link, at: now) }
  }

  var isFinished: Bool { isEnding && (links.isEmpty || !central.isReady) }

  private mutating func tellEvents(at now: Instant) {
    while let event = central.nextEvent() {
      note(event, at: now)
      for tell in onEvent { tell(event, now) }
    }
  }

  private mutating func note(_ event: CentralEvent, at now: Instant) {
    switch event {
    case .connected(let link, _):
      links.append(link)
      if isEnding { central.disconnect(link, at: now) }
    case .disconnected(let link, _):
      links.removeAll { $0 == link }
    case .radioFault(let fault):
      Log.logger.warning("the controller failed, and is reset: \(fault)")
    case .radioFailed(let fault) where fault != .lost:
      Log.logger.error(
        "the controller cannot be started; it is tried again every 5 s: \(fault)")
      restart = now.advanced(by: Self.pause)
    default:
      break
    }
  }
}
