import BluetoothHost
import EightBall
import Testing
import VirtualRadio

/// One air with a ball on it, and whoever comes to ask it: every packet is carried by hand, and
/// time passes only on request, so that each run is the same as the one before.
final class Stage<let places: Int> {
  let air: VirtualAir
  let configuration: ControllerConfiguration
  /// The ball's controller; another one after `ballReturns`.
  private(set) var radio: VirtualController
  /// The ball and its host.
  var host: BallHost<places>
  /// What the ball has told, oldest first.
  var told: [Told] = []
  /// Every packet from the ball's host to its controller.
  var sent: [[UInt8]] = []
  /// Everybody else.
  private(set) var guests: [any Guest] = []
  /// Something never came to an end, which has been recorded as an issue.
  private(set) var isStuck = false

  private var isBallPresent = true
  private var turn = 0
  private var scratch = [UInt8](repeating: 0, count: 1_024)

  /// The ball's public address on every stage.
  let ballAddress = DeviceAddress(kind: .public, bytes: [0xBA, 0x11, 0, 0, 0, 0xF0])

  /// A ball that has just been started.
  init(
    name: String = "Ball", seed: UInt64 = 8, style: AnswerStyle = .text,
    controller configuration: ControllerConfiguration = .init(), mtu: ATTMTU = .maximum,
    address: OwnAddress = .public, preferredParameters: ConnectionParameters? = .responsive,
    isStarted: Bool = true
  ) throws {
    air = VirtualAir(seed: seed)
    self.configuration = configuration
    radio = air.addController(address: ballAddress, configuration: configuration)
    let deviceName = DeviceName(Array(name.utf8).span)
    host = BallHost<places>(
      configuration: HostConfiguration(
        name: try #require(deviceName), service: .ballService,
        address: address, mtu: mtu, preferredParameters: preferredParameters),
      database: BallProfile.makeDatabase(), application: Ball<places>(seed: seed, style: style)
    )
    if isStarted {
      host.start(at: now)
      settle()
    }
  }

  var now: Instant { air.now }

  /// Whether the ball's controller can be connected to, and the ball knows it.
  var isInviting: Bool { isBallPresent && radio.isAdvertising && host.radio == .advertising }

  /// Whether the ball has done all that shutting down takes.
  var isShutDown: Bool { host.isShutDown }

  // MARK: Who is there

  func add(_ guest: any Guest) {
    guests.append(guest)
    guest.start(at: now)
  }

  /// Somebody's radio is switched off.
  func dismiss(_ guest: any Guest) {
    guests.removeAll { $0 === guest }
    guest.radio.vanish()
  }

  /// The ball's controller is unplugged.
  func ballVanishes() {
    isBallPresent = false
    radio.vanish()
    host.radioLost()
  }

  /// A controller of the same make and address is plugged in.
  func ballReturns() {
    isBallPresent = true
    radio = air.addController(address: ballAddress, configuration: configuration)
    host.start(at: now)
  }

  // MARK: Packets

  /// Carries one packet, from whoever's turn it is; `false` if nobody has one.
  func carryOne() -> Bool {
    for _ in 0...guests.count {
      turn = turn >= guests.count ? 0 : turn + 1
      if turn == guests.count ? carryForBall() : carry(for: guests[turn]) { return true }
    }
    return false
  }

  /// Carries packets until nobody has any.
  func settle() {
    var count = 0
    while carryOne() {
      count += 1
      if count > 200_000 { return giveUp("Packets go to and fro without end") }
    }
  }

  private func carryForBall() -> Bool {
    if radio.hasPacket, let packet = packet({ radio.nextPacket(into: &$0) }) {
      host.receive(packet.span, at: now)
    } else if isBallPresent, let packet = packet({ host.nextPacket(into: &$0, at: now) }) {
      sent.append(packet)
      radio.send(packet.span)
    } else {
      return false
    }
    listenToBall()
    return true
  }

  private func carry(for guest: any Guest) -> Bool {
    if guest.radio.hasPacket, let packet = packet({ guest.radio.nextPacket(into: &$0) }) {
      guest.receive(packet.span, at: now)
    } else if let packet = packet({ guest.nextPacket(into: &$0, at: now) }) {
      guest.radio.send(packet.span)
    } else {
      return false
    }
    return true
  }

  /// What `write` writes; `nil` if that is nothing.
  private func packet(_ write: (inout ByteWriter) -> Bool) -> [UInt8]? {
    var storage: [UInt8] = []
    swap(&storage, &scratch)
    defer { swap(&storage, &scratch) }
    var count = 0
    do {
      var writer = ByteWriter(storage.mutableSpan)
      guard write(&writer) else { return nil }
      count = writer.count
    }
    return Array(storage[..<count])
  }

  /// Fetches what the ball has to tell.
  func listenToBall() {
    while let event = host.server.application.nextEvent() {
      var question: [UInt8] = []
      if case .asked(let place) = event {
        host.server.application.withQuestion(at: place) { span in
          question = span.indices.map { span[$0] }
        }
      }
      told.append(Told(event, question: String(decoding: question, as: UTF8.self)))
    }
  }

  // MARK: Time

  /// When something happens by itself; `nil` if nothing will.
  var deadline: Instant? {
    var earliest = air.deadline
    for deadline in [host.deadline] + guests.map(\.deadline) {
      guard let deadline else { continue }
      earliest = min(earliest ?? deadline, deadline)
    }
    return earliest
  }

  /// Moves the clock to the next deadline, but not past `limit`; `false` if there is none by then.
  func passTime(until limit: Instant) -> Bool {
    guard let next = deadline, next <= limit else {
      advance(to: limit)
      return false
    }
    advance(to: max(next, now))
    return true
  }

  /// Carries everything, and lets time pass, until `isDone` or for `milliseconds`. Gives
  /// `isDone`.
  @discardableResult
  func run(within milliseconds: UInt32, until isDone: () -> Bool) -> Bool {
    let limit = now.advanced(by: milliseconds)
    var stops = 0
    var last = now
    while !isDone() {
      if carryOne() { continue }
      stops = now == last ? stops + 1 : 0
      last = now
      if stops > 1_000 {
        giveUp("A deadline at \(last.rawValue) ms does not pass")
        return false
      }
      if !passTime(until: limit), !carryOne() { return isDone() }
    }
    return true
  }

  /// Carries everything, and lets `milliseconds` pass.
  func run(for milliseconds: UInt32) {
    run(within: milliseconds) { false }
  }

  private func advance(to instant: Instant) {
    air.advance(to: instant)
    host.advance(to: instant)
    for guest in guests { guest.advance(to: instant) }
    listenToBall()
  }

  private func giveUp(_ why: String) {
    isStuck = true
    Issue.record("\(why): the ball sent \(sent.suffix(4)), and told \(told.suffix(6))")
  }
}
