import BallRunner
import BluetoothHost
import EightBall
import LinuxPort
import LinuxRadio

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
  /// Whether the radio has not taken all of the last bytes.
  private var hasOutput = false

  /// - Parameter index: The ball's number less one.
  init(_ index: Int, context: SwarmContext) {
    self.index = index
    self.context = context
    let watcher = ReadinessWatcher(index, context: context)
    self.watcher = watcher
    radio = RadioSourcePort(
      context.radio, loop: context.loop, sharing: context.air,
      watcher: watcher)
  }

  private var isEnding: Bool { context.endRequests > 0 }

  /// Why the radio could not be opened; `nil` if it was opened.
  var openError: RadioError? { radio.openError }

  // MARK: Port

  /// The time on the radio.
  var time: AirTime { radio.time }

  /// The loop's time, or that of the air.
  var now: Instant { radio.time.now(at: context.now) }

  var endRequests: Int { context.endRequests }

  var deadline: Instant? { radio.openingDeadline }

  /// A turn of this ball begins.
  func turnBegins() {
    watcher.turnBegins()
    if isEnding { radio.time.leave() }
    radio.time.beginTurn(at: now)
  }

  /// When the ball needs its next turn, by the loop's time; `nil` if it waits only for its radio. On
  /// simulated time it states this to the air.
  ///
  /// - Parameter deadline: When it must act, by its own time.
  mutating func sleep(until deadline: Instant?) -> Instant? {
    guard let end = radio.wait(until: deadline, hasOutput: hasOutput) else { return nil }
    // On simulated time only a descriptor ends a wait.
    guard !radio.time.isSimulated else { return context.now }
    return Instant(rawValue: context.now.rawValue &+ end.rawValue &- now.rawValue)
  }

  /// The swarm's loop sleeps for all balls.
  mutating func wait(until deadline: Instant?) -> Bool { false }

  // MARK: RadioPort

  mutating func openRadio(at now: Instant) -> RadioOpening {
    guard !isEnding else { return .pending }
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
    hasOutput = false
    endOpening()
    if !isEnding { context.noteLoss(index) }
  }

  var isPacketwise: Bool { false }

  mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    radio.readRadio(into: &space)
  }

  mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite {
    let result = radio.writeRadio(bytes)
    if case .taken(let count) = result { hasOutput = count < bytes.count }
    return result
  }

  mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    radio.note(packet, direction)
    guard direction == .received else { return }
    if opening == .unheard {
      endOpening()
      if RadioLink<526>.reportsFullAir(packet) { context.airIsFull() }
    }
  }

  private mutating func endOpening() {
    guard opening != .none else { return }
    opening = .none
    context.openingEnds()
  }

  // MARK: OutputPort

  mutating func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult {
    context.lines.add(bytes, of: index + 1, to: stream, at: context.now)
    return .taken(bytes.count)
  }

  func writeRadioName(to writer: inout ByteWriter) {
    writer.writePrefix(of: Array(radio.name.description.utf8).span)
  }

  func writeRadioError(to writer: inout ByteWriter) {
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
  func writeLinesError(to writer: inout ByteWriter) {}
}

/// The control socket of a swarm, in the swarm's loop. Programs ask there for the figures.
final class SwarmControl: EventHandler {
  private let loop: EventLoop
  private var server: ControlServer
  private var registration: EventLoop.Registration?

  /// Listens at `path`, for this user alone.
  ///
  /// - Throws: `addressInUse` if a program listens there.
  init(_ path: String, loop: EventLoop) throws(SystemError) {
    guard var server = ControlServer() else {
      throw SystemError(.current, "create", "an event queue")
    }
    if !server.open(Array(path.utf8).span), let failure = server.failure {
      throw SystemError(failure, of: path)
    }
    self.server = server
    self.loop = loop
    registration = try loop.add(number: self.server.descriptor, for: .readable, handler: self)
  }

  /// When `serve` must be called; `nil` to wait for a program.
  var deadline: Instant? { server.deadline }

  /// A program connects, has sent something, or has gone.
  func handle(_ readiness: Readiness, token: Int) { server.handle() }

  /// Answers the programs.
  ///
  /// - Parameter figures: The sum of the figures, and how many balls they are of.
  func serve(at now: Instant, with figures: @autoclosure () -> (sum: BallFigures, balls: Int)) {
    server.advance(to: now)
    var request = ByteBuffer<128>()
    while let event = server.nextEvent(into: &request) {
      guard case .request(let listener) = event else { continue }
      let words = request.span.indices.map { request.span[$0] }
      server.send(SwarmReply.line(to: words, with: figures()).span, to: listener)
    }
  }

  /// Accepts no more programs. The socket is removed with the last reference.
  func close() {
    if let registration { loop.remove(registration) }
    registration = nil
  }
}

/// What a swarm answers at its control socket: the figures of its balls together, which is all that
/// it sends.
enum SwarmReply {
  /// The line that replies to a request, with its end.
  ///
  /// - Parameters:
  ///   - request: The request, without its end.
  ///   - figures: The sum of the figures, and how many balls they are of.
  static func line(
    to request: [UInt8], with figures: @autoclosure () -> (sum: BallFigures, balls: Int)
  ) -> [UInt8] {
    request.elementsEqual("figures".utf8) ? line(of: figures()) : errorLine(for: request)
  }

  /// The event `figures` of a ball, with the number of balls.
  private static func line(of figures: (sum: BallFigures, balls: Int)) -> [UInt8] {
    // 35 numbers of at most 19 digits, and their names.
    let object = text(2_048) { $0.writeJSON(figures.sum) }
    return text(object.count + 32) {
      SwarmLines.write(object.span, of: figures.balls, named: "balls", to: &$0)
      $0.write(UInt8(ascii: "\n"))
    }
  }

  private static func errorLine(for request: [UInt8]) -> [UInt8] {
    // The longest escape of a byte has 6 bytes.
    text(128 + 6 * request.count) {
      $0.write(text: #"{"event":"error","request":""#)
      $0.write(escaped: request.span)
      $0.write(text: #"","detail":"The only request to a swarm is figures."}"#)
      $0.write(UInt8(ascii: "\n"))
    }
  }

  private static func text(_ size: Int, _ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var storage = [UInt8](repeating: 0, count: size)
    var writer = ByteWriter(storage.mutableSpan)
    write(&writer)
    let count = writer.count
    return Array(storage.prefix(count))
  }
}
