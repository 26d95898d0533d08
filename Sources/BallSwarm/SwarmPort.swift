import BallRunner
import BluetoothHost
import EightBall
import LinuxRadio
import LinuxSystem

/// The machine of one ball of a swarm: its own radio, no board, and what all balls share.
struct SwarmPort: Port, ~Copyable {
  typealias Metrics = BallMetricStore<4>

  /// The state of opening the radio.
  private enum Opening {
    /// It is closed, or has sent a packet.
    case none
    /// Its host name is being looked up.
    case lookup
    /// It is open and has sent no packet yet.
    case unheard
  }

  private let index: Int
  private unowned let context: SwarmContext
  /// Marks the ball as ready when its radio has packets.
  let watcher: ReadinessWatcher
  private var radio: RadioSourcePort
  private var opening = Opening.none
  private var plan: FaultPlan
  private var links = 0
  /// Whether the ball must end its connections.
  private var isDropPending = false
  /// For how many milliseconds the ball falls silent now.
  private var absence: UInt32?
  /// When the silent ball comes back.
  private var comeback: Instant?

  /// - Parameter index: The ball's number less one.
  init(_ index: Int, context: SwarmContext, plan: FaultPlan) {
    self.index = index
    self.context = context
    self.plan = plan
    let watcher = ReadinessWatcher(index, context: context)
    self.watcher = watcher
    radio = RadioSourcePort(
      context.radio, loop: context.loop, sharing: context.air,
      watcher: watcher)
  }

  private var isEnding: Bool { context.endRequests > 0 }

  /// Why the radio could not be opened; `nil` if it was opened.
  var refusal: RadioError? { radio.refusal }

  /// Returns whether the ball must end its connections now, and resets that.
  mutating func takeDrop() -> Bool {
    defer { isDropPending = false }
    return isDropPending
  }

  /// Clears `absence` once the radio is closed for it; `comeback` then times the silence.
  mutating func clearAbsence() {
    if comeback != nil { absence = nil }
  }

  // MARK: Port

  var now: Instant { context.now }

  var endRequests: Int { context.endRequests }

  var deadline: Instant? { .earlier(comeback, radio.openingDeadline) }

  /// The swarm's loop sleeps for all balls.
  mutating func wait(until deadline: Instant?) -> Bool { false }

  // MARK: RadioPort

  mutating func openRadio(at now: Instant) -> RadioOpening {
    guard !isEnding else { return .pending }
    if let comeback, now < comeback { return .pending }
    comeback = nil
    if opening == .none {
      guard context.admits(index) else { return .pending }
      context.openingBegins()
    }
    let result = radio.openRadio(at: now)
    switch result {
    case .opened: opening = .unheard
    case .pending:
      opening = .lookup
      context.lookupBegins(index)
    case .failed: endOpening()
    }
    return result
  }

  mutating func closeRadio() {
    radio.closeRadio()
    endOpening()
    links = 0
    plan.connectionsEnded()
    isDropPending = false
    guard let absence else {
      if !isEnding { context.noteLoss(index) }
      return
    }
    comeback = context.now.advanced(by: absence)
  }

  var isPacketwise: Bool { false }

  mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    // For the runner a silent ball has a failed radio, which it reopens as usual.
    absence == nil ? radio.readRadio(into: &space) : .failed
  }

  mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite { radio.writeRadio(bytes) }

  mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    guard direction == .received else { return }
    if opening == .unheard {
      endOpening()
      if RadioLink<526>.reportsFullAir(packet) { context.airIsFull() }
    }
    if plan.isPossible { watch(packet) }
  }

  private mutating func endOpening() {
    guard opening != .none else { return }
    opening = .none
    context.openingEnds()
  }

  // MARK: Faults

  /// Updates the connections' fates for a packet from the controller.
  private mutating func watch(_ packet: Span<UInt8>) {
    switch HCIPacket(packet) {
    case .acl:
      switch plan.packetCame() {
      case .drops: isDropPending = true
      case .vanishes(_, let milliseconds): absence = milliseconds
      case .lasts, nil: break
      }
    case .event(.leMeta, let parameters):
      var reader = ByteReader(parameters)
      let subevent = reader.readUInt8().map(LEMetaSubevent.init(rawValue:))
      guard subevent == .connectionComplete || subevent == .enhancedConnectionComplete,
        reader.readUInt8() == HCIErrorCode.success.rawValue
      else { return }
      links += 1
      plan.connectionBegins()
    case .event(.disconnectionComplete, let parameters):
      var reader = ByteReader(parameters)
      guard reader.readUInt8() == HCIErrorCode.success.rawValue, links > 0 else { return }
      links -= 1
      if links == 0 { plan.connectionsEnded() }
    default: return
    }
  }

  // MARK: OutputPort

  mutating func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult {
    context.lines.add(bytes, of: index + 1, to: stream, at: context.now)
    return .taken(bytes.count)
  }

  func writeRadioName(to writer: inout ByteWriter) {
    writer.writePrefix(of: Array(radio.name.description.utf8).span)
  }

  func writeRadioTrouble(to writer: inout ByteWriter) {
    if let absence {
      writer.write(text: "the ball is silent for ")
      writer.write(decimal: Int(absence))
      return writer.write(text: " ms (--vanish)")
    }
    guard let failure = radio.failure else { return }
    writer.writePrefix(of: Array(failure.description.utf8).span)
  }
}

// MARK: FrontPanelPort

/// A ball of a swarm has no buttons and no lights: the runner calls nothing here.
extension SwarmPort {
  var hasPanel: Bool { false }
  mutating func openLines() -> Bool { false }
  mutating func closeLines() {}
  func debounce(of button: ButtonName) -> UInt32 { 0 }
  mutating func contact(of button: ButtonName) -> ContactRead { .none }
  mutating func nextEdge() -> EdgeRead { .none }
  mutating func listen(toEdges isListening: Bool) {}
  mutating func set(_ light: LightName, isLit: Bool) -> Bool { true }
  mutating func checkLines() -> Bool { false }
  mutating func takeLinesChange() -> LinesChange { .none }
  func writeLinesTrouble(to writer: inout ByteWriter) {}
}
