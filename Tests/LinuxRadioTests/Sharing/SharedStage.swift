import BluetoothCentral
import BluetoothHost
import LinuxRadio
import LinuxTestSupport
import Testing
import VirtualRadio

/// A central as a program: keeps what happens to it.
struct CentralHalf: RadioProgram {
  let central: Central
  private(set) var events: [CentralEvent] = []
  private(set) var outcomes: [OperationID: Result<OperationOutput, OperationError>] = [:]
  /// The links that there are.
  private(set) var links: [LinkID] = []

  init(_ number: UInt8 = 1, _ change: (inout CentralConfiguration) -> Void = { _ in }) {
    var configuration = CentralConfiguration(
      randomAddress: DeviceAddress(kind: .random, bytes: [number, 0, 0, 0, 0, 0xC0]))
    change(&configuration)
    central = Central(configuration: configuration)
  }

  mutating func radioIsReady(at now: Instant) {
    central.start(at: now)
    listen()
  }

  mutating func radioIsLost(_ error: RadioError, at now: Instant) {
    central.radioLost()
    listen()
  }

  mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    central.receive(packet, at: now)
    listen()
  }

  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    central.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? { central.deadline }

  mutating func advance(to now: Instant) {
    central.advance(to: now)
    listen()
  }

  mutating func turnEnded() {}
  mutating func shutDown(at now: Instant) {}
  var isFinished: Bool { false }

  /// How many events there have been of the kind that `isMeant` knows.
  func count(_ isMeant: (CentralEvent) -> Bool) -> Int { events.filter(isMeant).count }

  private mutating func listen() {
    while let event = central.nextEvent() {
      events.append(event)
      switch event {
      case .connected(let link, _): links.append(link)
      case .disconnected(let link, _): links.removeAll { $0 == link }
      case .completed(let operation, _, let result): outcomes[operation] = result
      default: break
      }
    }
  }
}

typealias Device = SharedController<CentralHalf, PlainBall>

/// Somebody on the stage.
protocol Seated: AnyObject {
  func carryOne(at now: Instant) -> Bool
  var deadline: Instant? { get }
  func advance(to now: Instant)
}

/// A program and its controller.
final class Seat<Program: RadioProgram & ~Copyable>: Seated {
  var radio: VirtualController
  var program: Program
  /// How long a packet takes from the controller, in milliseconds.
  var delay: UInt32 = 0
  /// The opcodes of the commands, and the ACL packets as nothing.
  private(set) var commands: [HCIOpcode] = []
  private var underWay: [(due: Instant, packet: [UInt8])] = []

  init(_ radio: VirtualController, _ program: consuming Program, at now: Instant) {
    self.radio = radio
    self.program = program
    self.program.radioIsReady(at: now)
  }

  func carryOne(at now: Instant) -> Bool {
    if radio.hasPacket, let packet = packet({ radio.nextPacket(into: &$0) }) {
      underWay.append((now.advanced(by: delay), packet))
      return true
    }
    if let first = underWay.first, first.due <= now {
      underWay.removeFirst()
      program.receive(first.packet.span, at: now)
      return true
    }
    if let packet = packet({ program.nextPacket(into: &$0, at: now) }) {
      if case .command(let opcode, _)? = HCIPacket(packet.span) { commands.append(opcode) }
      radio.send(packet.span)
      return true
    }
    return false
  }

  var deadline: Instant? {
    Instant.earlier(program.deadline, underWay.first?.due)
  }

  func advance(to now: Instant) { program.advance(to: now) }

  var isFinished: Bool { program.isFinished }

  /// Everything on its way is lost, and so is the controller.
  func lose(at now: Instant) {
    radio.vanish()
    underWay = []
    program.radioIsLost(RadioError("unplugged"), at: now)
  }

  private func packet(_ write: (inout ByteWriter) -> Bool) -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: 1_024)
    var writer = ByteWriter(storage.mutableSpan)
    guard write(&writer) else { return nil }
    let count = writer.count
    return Array(storage[..<count])
  }
}

/// An air on which one device has both roles: it visits a ball, while a phone visits its own.
final class SharedStage {
  let air: VirtualAir
  let configuration: ControllerConfiguration
  let device: Seat<Device>
  let ball: Seat<PlainBall>
  let phone: Seat<CentralHalf>
  private var turn = 0
  private(set) var isStuck = false

  static let deviceAddress = DeviceAddress(kind: .public, bytes: [0xDE, 0, 0, 0, 0, 0xF0])
  static let ballAddress = DeviceAddress(kind: .public, bytes: [0xBA, 0x11, 0, 0, 0, 0xF0])

  /// - Parameter joined: The halves of the device that take part from the beginning.
  init(
    seed: UInt64 = 7, controller: ControllerConfiguration = .init(), delay: UInt32 = 0,
    joined: [SharedHalf] = [.first, .second],
    _ change: (inout CentralConfiguration) -> Void = { _ in }
  ) throws {
    air = VirtualAir(seed: seed)
    configuration = controller
    let now = air.now
    device = Seat(
      air.addController(address: Self.deviceAddress, configuration: controller),
      Device(CentralHalf(1, change), try PlainBall("Device")), at: now)
    ball = Seat(air.addController(address: Self.ballAddress), try PlainBall(), at: now)
    phone = Seat(air.addController(), CentralHalf(2), at: now)
    device.delay = delay
    for half in joined { device.program.join(half, at: now) }
    settle()
  }

  var now: Instant { air.now }

  private var seats: [any Seated] { [device, ball, phone] }

  func carryOne() -> Bool {
    let seats = seats
    for _ in seats.indices {
      turn = (turn + 1) % seats.count
      if seats[turn].carryOne(at: now) { return true }
    }
    return false
  }

  func settle() {
    var count = 0
    while carryOne() {
      count += 1
      if count > 100_000 { return giveUp("Packets go to and fro without end") }
    }
  }

  /// Carries packets and lets time pass until `isDone`, for `milliseconds` at most; gives
  /// `isDone`.
  @discardableResult
  func run(within milliseconds: UInt32, until isDone: () -> Bool) -> Bool {
    let limit = now.advanced(by: milliseconds)
    var stops = 0
    while !isDone() {
      if carryOne() { continue }
      let before = now
      let next = seats.reduce(air.deadline) { Instant.earlier($0, $1.deadline) }
      let time = min(max(next ?? limit, now), limit)
      air.advance(to: time)
      for seat in seats { seat.advance(to: time) }
      stops = now == before ? stops + 1 : 0
      if stops > 1_000 { giveUp("A deadline at \(now.rawValue) ms does not pass") }
      if isStuck || (now == limit && !carryOne()) { return isDone() }
    }
    return true
  }

  func run(for milliseconds: UInt32) {
    run(within: milliseconds) { false }
  }

  private func giveUp(_ why: String) {
    isStuck = true
    Issue.record("\(why): the device sent \(device.commands.suffix(8))")
  }

  // MARK: What is done

  /// The device's central connects to the ball.
  func visitBall(sourceLocation: SourceLocation = #_sourceLocation) throws -> LinkID {
    for _ in 0..<5 {
      let link = device.program.first.central.connect(to: Self.ballAddress, at: now)
      if run(within: 15_000, until: { self.device.program.first.links.contains(link) }) {
        return link
      }
    }
    Issue.record("\(device.program.first.events.suffix(5))", sourceLocation: sourceLocation)
    throw CancellationError()
  }

  /// The phone connects to the device's ball.
  func visitDevice(sourceLocation: SourceLocation = #_sourceLocation) throws -> LinkID {
    for _ in 0..<5 {
      let link = phone.program.central.connect(to: Self.deviceAddress, at: now)
      if run(within: 15_000, until: { self.phone.program.links.contains(link) }) { return link }
    }
    Issue.record("\(phone.program.events.suffix(5))", sourceLocation: sourceLocation)
    throw CancellationError()
  }

  /// Asks the ball over a link of the device, and gives its answer.
  func askBall(_ link: LinkID) -> String? {
    ask(link, device.program.first.central) { self.device.program.first.outcomes[$0] }
  }

  /// Asks the device over a link of the phone, and gives its answer.
  func askDevice(_ link: LinkID) -> String? {
    ask(link, phone.program.central) { self.phone.program.outcomes[$0] }
  }

  private func ask(
    _ link: LinkID, _ central: Central,
    outcome: (OperationID) -> Result<OperationOutput, OperationError>?
  ) -> String? {
    let question = Array("Will a question of some length be answered as well?".utf8)
    central.perform(.exchangeMTU(.maximum), on: link)
    central.perform(.write(AttributeHandle(rawValue: 0x1D), question), on: link)
    let read = central.perform(.read(AttributeHandle(rawValue: 0x1F)), on: link)
    run(within: 40_000) { outcome(read) != nil }
    guard case .success(.value(let bytes))? = outcome(read), !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Both roles can be used, from the beginning to an answer; and the controller was treated well.
  func expectWorking(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let visit = try visitBall(sourceLocation: sourceLocation)
    let call = try visitDevice(sourceLocation: sourceLocation)
    let answer = askBall(visit)
    #expect(answer != nil, "the ball's answer", sourceLocation: sourceLocation)
    let own = askDevice(call)
    #expect(own != nil, "the device's answer", sourceLocation: sourceLocation)
    device.program.first.central.disconnect(visit, at: now)
    phone.program.central.disconnect(call, at: now)
    run(within: 20_000) {
      self.phone.program.links.isEmpty && self.device.program.first.links.isEmpty
    }
    expectTidy(sourceLocation: sourceLocation)
  }

  func expectTidy(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(!isStuck, sourceLocation: sourceLocation)
    #expect(device.radio.counters.packetsBeyondCredits == 0, sourceLocation: sourceLocation)
    #expect(device.radio.counters.oversizedPackets == 0, sourceLocation: sourceLocation)
    #expect(device.radio.counters.malformedPackets == 0, sourceLocation: sourceLocation)
  }
}
