import BluetoothHost
import EightBall
import Expectations
import VirtualRadio

/// An event of a ball in a form that a test can compare.
package enum ObservedEvent: Equatable {
  case radio(RadioState)
  case connected(Int, DeviceAddress)
  case disconnected(Int, DeviceAddress, HCIErrorCode)
  case subscribed(Int, Bool)
  case asked(Int, String)
  case refused(Int, QuestionError)
  case answered(Int, Answer)
  case missed(Int)

  package init<let capacity: Int>(_ event: BallEvent, of ball: inout BallApplication<capacity>) {
    switch event {
    case .radio(let state): self = .radio(state)
    case .connected(let index, let address): self = .connected(index, address)
    case .disconnected(let index, let address, let reason):
      self = .disconnected(index, address, reason)
    case .subscribed(let index, let isOn): self = .subscribed(index, isOn)
    case .asked(let index): self = .asked(index, ball.question(at: index) ?? "")
    case .refused(let index, let refusal): self = .refused(index, refusal)
    case .answered(let index, let answer): self = .answered(index, answer)
    case .missed(let count): self = .missed(count)
    }
  }
}

extension BallApplication {
  /// The text of a central's question; `nil` without such a connection.
  package mutating func question(at index: Int) -> String? {
    var question: String?
    withQuestion(at: index) { text in
      question = String(decoding: text.indices.map { text[$0] }, as: UTF8.self)
    }
    return question
  }

  /// Takes the events since the last call.
  package mutating func takeEvents() -> [ObservedEvent] {
    var events: [ObservedEvent] = []
    while let event = nextEvent() { events.append(ObservedEvent(event, of: &self)) }
    return events
  }
}

/// A ball and the phones that ask it, on one bench.
package final class Scene<let capacity: Int> {
  package let bench: AirBench
  private let ball: AirDevice<BallHost<capacity>>
  /// The ball's events, oldest first.
  package var events: [ObservedEvent] = []
  /// Every packet from the ball's host to its controller.
  package var sent: [[UInt8]] = []
  /// Whether a loop did not end; an issue has been recorded.
  package private(set) var isStuck = false

  /// A ball with the public address `F0:00:00:00:11:BA`, which has just been started.
  package init(
    name: String = "Ball", seed: UInt64 = 8,
    controller configuration: ControllerConfiguration = .init(), address: OwnAddress = .public,
    isStarted: Bool = true
  ) throws {
    bench = AirBench(seed: seed)
    let deviceName = DeviceName(Array(name.utf8).span)
    let host = BallHost<capacity>(
      configuration: HostConfiguration(
        name: try #require(deviceName), service: .ballService, address: address),
      database: EightBallProfile.makeDatabase(), application: BallApplication<capacity>(seed: seed))
    let ballAddress = DeviceAddress(kind: .public, bytes: [0xBA, 0x11, 0, 0, 0, 0xF0])
    ball = bench.add(
      host, on: bench.air.addController(address: ballAddress, configuration: configuration))
    ball.onPacket = { [unowned self] packet, direction in
      if direction == .sent { sent.append(packet.indices.map { packet[$0] }) }
      listenToBall()
    }
    if isStarted {
      ball.host.start(at: now)
      settle()
    }
  }

  package var air: VirtualAir { bench.air }
  package var now: Instant { bench.now }
  /// The ball's controller; another one after `ballReturns`.
  package var radio: VirtualController { ball.controller }
  /// The ball and its host.
  package var host: BallHost<capacity> {
    _read { yield ball.host }
    _modify { yield &ball.host }
  }

  /// Whether the ball's controller can be connected to, and the ball knows it.
  package var isInviting: Bool {
    ball.isPluggedIn && radio.isAdvertising && host.radio == .advertising
  }

  /// Whether the ball's host has shut down.
  package var isShutDown: Bool { host.isShutDown }

  // MARK: Who is there

  /// A central comes to ask.
  package func ask(_ question: String) -> Asker {
    let asker = Asker(question, on: air.addController())
    add(asker)
    return asker
  }

  /// A central whose controller is ready.
  package func phone(
    controller: ControllerConfiguration = .init(),
    _ change: (inout HostConfiguration) -> Void = { _ in }
  ) -> Phone {
    var configuration = HostConfiguration.central
    change(&configuration)
    let phone = Phone(on: air.addController(configuration: controller), configuration)
    add(phone)
    settle()
    return phone
  }

  private func add(_ phone: Phone) {
    _ = bench.add(phone, on: phone.radio)
    phone.start(at: now)
  }

  /// Removes a central, whose radio is switched off.
  package func dismiss(_ phone: Phone) { bench.remove(phone.radio) }

  /// The ball's controller is unplugged.
  package func ballVanishes() {
    ball.unplug()
    host.radioLost()
  }

  /// A controller of the same make and address is plugged in.
  package func ballReturns() {
    ball.plugIn()
    host.start(at: now)
  }

  // MARK: What phones do

  /// A central that is connected to the ball, and has exchanged `mtu` if it is given.
  package func connectedPhone(
    mtu: Int? = nil, controller: ControllerConfiguration = .init(),
    _ change: (inout HostConfiguration) -> Void = { _ in }
  ) throws -> Phone {
    let offer = try mtu.map { try #require(ATTMTU($0)) }
    let phone = phone(controller: controller) {
      $0.mtu = offer ?? .maximum
      change(&$0)
    }
    try connect(phone)
    if let offer { expect(perform(.exchangeMTU, by: phone), is: .success(.mtu(offer))) }
    return phone
  }

  package func connect(_ phone: Phone) throws {
    phone.connect(to: radio.address, at: now)
    run(within: 10_000) { phone.isConnected || phone.failure != nil }
    settle()
    try #require(phone.isConnected, "\(String(describing: phone.failure))")
  }

  package func disconnect(_ phone: Phone) {
    guard phone.hasLink else { return }
    phone.disconnect()
    run(within: 5_000) { !phone.hasLink }
    settle()
  }

  /// Carries out an operation, and everything after it that needs no time.
  package func perform(
    _ operation: ClientOperation, value: [UInt8] = [], by phone: Phone
  ) -> Phone.Outcome? {
    let number = phone.perform(operation, value: value)
    run(within: 60_000) { phone.outcomes[number] != nil }
    settle()
    return phone.outcomes[number]
  }

  package func subscribe(_ phone: Phone, _ configuration: ClientConfiguration = .notification) {
    let outcome = perform(.subscribe(Handles.configuration, configuration), by: phone)
    expect(outcome, is: .success(.written))
  }

  package func write(
    _ value: some Sequence<UInt8>, to handle: AttributeHandle = Handles.question, by phone: Phone
  ) -> Phone.Outcome? {
    let value = Array(value)
    return perform(.write(handle, byteCount: value.count), value: value, by: phone)
  }

  package func write(_ question: String, by phone: Phone) -> Phone.Outcome? {
    write(question.utf8, by: phone)
  }

  /// The value at `handle`, as text.
  package func readText(_ handle: AttributeHandle, by phone: Phone) -> String? {
    guard case .success(.value(let bytes)) = perform(.read(handle), by: phone) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Packets and time

  /// Carries one packet; `false` if there is none.
  package func carryOne() -> Bool { bench.carryOne() }

  /// Carries packets until there are none.
  package func settle() { attempt { () throws(AirBenchError) in try bench.settle() } }

  private func listenToBall() { events += host.server.application.takeEvents() }

  /// Moves the clock to the next deadline, but at most by `limit`; `false` if there is none by then.
  @discardableResult
  package func passTime(atMost limit: UInt32 = 10_000) -> Bool {
    defer { listenToBall() }
    return bench.advance(upTo: now.advanced(by: limit))
  }

  /// Carries packets and lets time pass, until `isDone` or for `milliseconds`. Returns `isDone`.
  @discardableResult
  package func run(within milliseconds: UInt32, until isDone: () -> Bool) -> Bool {
    var isEnded = false
    attempt { () throws(AirBenchError) in
      isEnded = try bench.run(for: milliseconds) {
        listenToBall()
        return isDone()
      }
    }
    listenToBall()
    return isEnded
  }

  /// Carries packets and lets `milliseconds` pass.
  package func run(for milliseconds: UInt32) { run(within: milliseconds) { false } }

  private func attempt(_ body: () throws(AirBenchError) -> Void) {
    do {
      try body()
    } catch {
      isStuck = true
      Issue.record("\(error) The ball sent \(sent.suffix(4)) and reported \(events.suffix(6))")
    }
  }
}

extension VirtualController {
  /// Sends one frame of the attribute protocol on the first link.
  package func send(frame payload: [UInt8]) {
    guard let handle = connectionHandles.first else { return }
    let length = UInt8(payload.count)
    let header = [0x02, UInt8(handle.rawValue & 0xFF), UInt8(handle.rawValue >> 8), length + 4, 0]
    let packet = header + [length, 0, UInt8(L2CAPChannel.att.rawValue), 0] + payload
    send(packet.span)
  }
}

/// The twenty texts, in the order of their slugs.
package let answerTexts = [
  "It is certain.", "It is decidedly so.", "Without a doubt.", "Yes – definitely.",
  "You may rely on it.", "As I see it, yes.", "Most likely.", "Outlook good.", "Yes.",
  "Signs point to yes.", "Reply hazy, try again.", "Ask again later.",
  "Better not tell you now.", "Cannot predict now.", "Concentrate and ask again.",
  "Don’t count on it.", "My reply is no.", "My sources say no.", "Outlook not so good.",
  "Very doubtful.",
]
