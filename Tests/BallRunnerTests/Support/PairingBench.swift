import BallTestSupport
import BluetoothHost
import EightBall
import Testing
import VirtualRadio

@testable import BallRunner

/// The delegate of the central's Security Manager: records prompts and outcomes.
struct CentralOwner: PairingDelegate {
  var prompts: [PairingPrompt] = []
  var outcomes: [PairingOutcome] = []

  mutating func show(_ prompt: PairingPrompt, at index: Int) { prompts.append(prompt) }
  mutating func pairingEnded(_ outcome: PairingOutcome, at index: Int) { outcomes.append(outcome) }
  mutating func securityChanged(to security: LinkSecurity, at index: Int) {}
  mutating func encryptionFailed(_ reason: HCIErrorCode, at index: Int) {}
}

/// A central's client in these tests: it performs one operation after the other, and records the
/// results.
struct Asking: ClientApplication {
  /// The question to write.
  var question: [UInt8] = []
  /// How each operation has ended; `nil` for success.
  var results: [OperationError?] = []
  /// The answers that were notified.
  var answers: [String] = []

  mutating func ended(_ operation: ClientOperation, with error: OperationError?, at index: Int) {
    results.append(error)
  }

  mutating func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {
    answers.append(String(decoding: Array(value), as: UTF8.self))
  }

  func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {
    let rest = Array(question.dropFirst(offset))
    value.writePrefix(of: rest.span)
  }
}

/// A ball that protects its links, with a board, and a central that pairs with it, on one air.
final class PairingBench {
  typealias Ball = ProtectedBallRunner<
    4, 2_053, 8_192, 8_192, TestPort, BallSecurityManager<4, FixedRandom>
  >
  typealias Central = Host<
    1, NoServer, GATTClient<1, Asking>,
    SecurityManager<1, P256KeyAgreement, FixedRandom, BondTable<4>, CentralOwner>, NoChannels
  >

  private let bench = AirBench(seed: 8)
  private let ballDevice: AirDevice<RunnerSide>
  private let centralDevice: AirDevice<Central>

  /// - Parameters:
  ///   - hasUser: Whether a user confirms pairings at the ball.
  ///   - staysOpen: Whether pairing stays open after a success.
  ///   - bonds: The ball's bonds, as in a file.
  init(
    _ protection: BallProtection = .encrypted, hasUser: Bool = false, staysOpen: Bool = false,
    isJSON: Bool = false, bonds: [UInt8] = [], machine: TestMachine = TestMachine()
  ) {
    machine.lines.isThere = true
    machine.controller = nil
    let address = DeviceAddress(kind: .public, bytes: [2, 0xBA, 0x11, 0, 0, 0xF0])
    var table = BondTable<16>()
    let identity = bonds.isEmpty ? nil : try? BondFileFormat.read(bonds.span, into: &table)
    let ball = Ball(
      BallConfiguration(
        host: HostConfiguration(
          name: DeviceName(StaticText("Test Ball")), service: .ballService, address: .public),
        seed: 8, lines: isJSON ? .json : .words),
      security: BallSecurityManager<4, FixedRandom>(
        policy: protection.policy(hasUser: hasUser, staysOpen: staysOpen), identity: identity,
        bonds: table,
        delegate: PairingGate(protection), agreement: P256KeyAgreement(),
        random: FixedRandom(seed: 1)),
      on: TestPort(machine: machine))
    let central = Central(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("Central")), service: nil, address: .public),
      server: NoServer(), client: GATTClient(application: Asking()),
      security: SecurityManager(
        policy: PairingPolicy(ioCapability: hasUser ? .displayYesNo : .noInputNoOutput),
        identity: LocalIdentity(
          identityResolvingKey: .zero, address: address),
        bonds: BondTable(), delegate: CentralOwner(), agreement: P256KeyAgreement(),
        random: FixedRandom(seed: 2)))
    ballDevice = bench.add(
      RunnerSide(ball, machine),
      on: bench.air.addController(
        address: DeviceAddress(kind: .public, bytes: [1, 0xBA, 0x11, 0, 0, 0xF0])))
    centralDevice = bench.add(central, on: bench.air.addController(address: address))
    self.central.start(at: bench.now)
    run(for: 100)
  }

  var machine: TestMachine { ballDevice.host.machine }
  var radio: VirtualController { ballDevice.controller }
  var ball: Ball {
    _read { yield ballDevice.host.ball }
    _modify { yield &ballDevice.host.ball }
  }
  var central: Central {
    _read { yield centralDevice.host }
    _modify { yield &centralDevice.host }
  }

  var owner: CentralOwner { central.security.delegate }

  func connect() {
    _ = central.connect(to: ball.ball.host.address)
    run(for: 1_000)
  }

  func disconnect() {
    central.disconnectAll()
    run(for: 1_000)
  }

  /// The central pairs, or encrypts with its bond; whether its link is then encrypted.
  func secure() -> Bool {
    guard central.security.secure(at: 0, at: bench.now) else { return false }
    run(for: 2_000)
    return isEncrypted
  }

  /// The central loses its bonds.
  func forgetAtCentral() {
    while central.security.bonds.count > 0 { central.security.removeBond(at: 0) }
  }

  /// The central begins to pair.
  func pair() -> Bool { central.security.pair(at: 0, at: bench.now) }
  /// The central's user confirms.
  func confirmAtCentral() -> Bool { central.security.confirm(true, at: 0, at: bench.now) }

  var isEncrypted: Bool { central.security.security(at: 0).contains(.encrypted) }

  /// Subscribes to the answer, and writes a question: the error code of each, 0 for success.
  func ask(_ text: String) -> [UInt8] {
    let count = central.client.application.results.count
    _ = central.perform(
      .subscribe(AttributeHandle(rawValue: 0x20), .notification), at: 0)
    run(for: 500)
    central.client.application.question = Array(text.utf8)
    _ = central.perform(
      .write(AttributeHandle(rawValue: 0x1D), byteCount: text.utf8.count), at: 0)
    run(for: 500)
    return central.client.application.results.dropFirst(count).map {
      if case .refused(let response)? = $0 { response.code.rawValue } else { $0 == nil ? 0 : 0xFF }
    }
  }

  /// Holds a button for `milliseconds`.
  func hold(_ button: ButtonName, for milliseconds: UInt32) {
    machine.lines.drive(button, isClosed: true, at: bench.now.rawValue)
    run(for: milliseconds)
    machine.lines.drive(button, isClosed: false, at: bench.now.rawValue)
    run(for: 100)
  }

  /// Carries packets and lets `milliseconds` pass.
  func run(for milliseconds: UInt32) {
    #expect(throws: Never.self) { try bench.run(for: milliseconds) }
  }
}

/// A ball whose machine's packets a bench carries.
final class RunnerSide: HostSide {
  let machine: TestMachine
  var ball: PairingBench.Ball
  /// How many packets of the ball its controller has received.
  private var sentCount = 0

  init(_ ball: consuming PairingBench.Ball, _ machine: TestMachine) {
    self.ball = ball
    self.machine = machine
  }

  func receive(_ packet: Span<UInt8>, at now: Instant) { machine.incoming.append(Array(packet)) }

  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    if machine.lines.isWaking || !machine.incoming.isEmpty { _ = ball.turn(at: now) }
    guard sentCount < machine.packets.count else { return false }
    let packet = machine.packets[sentCount]
    writer.write(packet.span)
    sentCount += 1
    return true
  }

  var deadline: Instant? { ball.deadline }

  func advance(to now: Instant) {
    machine.now = now
    _ = ball.turn(at: now)
  }
}
