import BallTestSupport
import BluetoothHost
import EightBall
import VirtualRadio

@testable import BallRunner

/// Keys of the tests: the same ones for the same seed.
struct FixedKeys: SecureRandomNumberGenerator {
  private var source: RandomSource

  init(seed: UInt64) { source = RandomSource(seed: seed) }

  mutating func next() -> UInt64 { UInt64(source.next()) << 32 | UInt64(source.next()) }
}

/// The owner of the central's Security Manager: hears what it is asked, and how it ends.
struct CentralOwner: PairingDelegate {
  var prompts: [PairingPrompt] = []
  var outcomes: [PairingOutcome] = []

  mutating func show(_ prompt: PairingPrompt, at index: Int) { prompts.append(prompt) }
  mutating func pairingEnded(_ outcome: PairingOutcome, at index: Int) { outcomes.append(outcome) }
  mutating func securityChanged(to security: LinkSecurity, at index: Int) {}
  mutating func encryptionFailed(_ reason: HCIErrorCode, at index: Int) {}
}

/// What a central does with a ball in these tests: it asks one thing after the other, and notes how that ends.
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
    4, 2_053, 8_192, TestPort, BallSecurityManager<4, FixedKeys>
  >
  typealias Central = Host<
    1, NoServer, GATTClient<1, Asking>,
    SecurityManager<1, P256KeyAgreement, FixedKeys, BondTable<4>, CentralOwner>, NoChannels
  >

  let air = VirtualAir(seed: 8)
  let machine: TestMachine
  let radio: VirtualController
  let centralRadio: VirtualController
  var ball: Ball
  var central: Central
  private(set) var time: UInt64 = 0
  /// How many packets of the ball its controller has got.
  private var sentCount = 0

  /// - Parameters:
  ///   - hasUser: Whether somebody says yes or no at the ball.
  ///   - bonds: The ball's bonds, as in a file.
  init(
    _ protection: BallProtection = .encrypted, hasUser: Bool = false, isJSON: Bool = false,
    bonds: [UInt8] = [], machine: TestMachine = TestMachine()
  ) {
    self.machine = machine
    machine.lines.isThere = true
    machine.controller = nil
    radio = air.addController(
      address: DeviceAddress(kind: .public, bytes: [1, 0xBA, 0x11, 0, 0, 0xF0]),
      configuration: ControllerConfiguration())
    centralRadio = air.addController(
      address: DeviceAddress(kind: .public, bytes: [2, 0xBA, 0x11, 0, 0, 0xF0]),
      configuration: ControllerConfiguration())
    var table = BondTable<16>()
    let identity = bonds.isEmpty ? nil : try? BondFileFormat.read(bonds.span, into: &table)
    ball = Ball(
      BallConfiguration(
        host: HostConfiguration(
          name: DeviceName(StaticText("Test Ball")), service: .ballService, address: .public),
        seed: 8, lines: isJSON ? .json : .words),
      security: BallSecurityManager<4, FixedKeys>(
        policy: protection.policy(hasUser: hasUser), identity: identity, bonds: table,
        delegate: PairingDesk(protection), agreement: P256KeyAgreement(),
        random: FixedKeys(seed: 1)),
      on: TestPort(machine: machine))
    central = Host(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("Central")), service: nil, address: .public),
      server: NoServer(), client: GATTClient(application: Asking()),
      security: SecurityManager(
        policy: PairingPolicy(ioCapability: hasUser ? .displayYesNo : .noInputNoOutput),
        identity: LocalIdentity(
          identityResolvingKey: .zero,
          address: DeviceAddress(kind: .public, bytes: [2, 0xBA, 0x11, 0, 0, 0xF0])),
        bonds: BondTable(), delegate: CentralOwner(), agreement: P256KeyAgreement(),
        random: FixedKeys(seed: 2)))
    central.start(at: air.now)
    run(for: 100)
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

  /// The central pairs, or encrypts with its bond; whether its link is encrypted then.
  func secure() -> Bool {
    guard central.security.secure(at: 0, at: air.now) else { return false }
    run(for: 2_000)
    return isEncrypted
  }

  /// The central begins to pair.
  func pair() -> Bool { central.security.pair(at: 0, at: air.now) }
  /// The central's user says yes.
  func confirmAtCentral() -> Bool { central.security.confirm(true, at: 0, at: air.now) }

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

  /// Holds a button for so many milliseconds.
  func hold(_ button: ButtonName, for milliseconds: UInt64) {
    machine.lines.drive(button, isClosed: true, at: time)
    run(for: milliseconds)
    machine.lines.drive(button, isClosed: false, at: time)
    run(for: 100)
  }

  /// Carries everything, and lets `milliseconds` pass.
  func run(for milliseconds: UInt64) {
    let end = time + milliseconds
    while true {
      while carry() {}
      var next = Instant.earlier(air.deadline, central.deadline)
      next = Instant.earlier(next, ball.deadline)
      let target = min(end, max(next?.rawValue ?? end, time))
      let isOver = target >= end && (next?.rawValue ?? end) >= end
      time = target
      machine.now = Instant(rawValue: time)
      air.advance(to: machine.now)
      central.advance(to: machine.now)
      _ = ball.turn(at: machine.now)
      if isOver, !radio.hasPacket, !centralRadio.hasPacket { return }
    }
  }

  private func carry() -> Bool {
    var isBusy = false
    while sentCount < machine.packets.count {
      let packet = machine.packets[sentCount]
      radio.send(packet.span)
      sentCount += 1
      isBusy = true
    }
    while radio.hasPacket, let packet = taken({ radio.nextPacket(into: &$0) }) {
      machine.incoming.append(packet)
      isBusy = true
    }
    if machine.lines.isWaking || !machine.incoming.isEmpty {
      _ = ball.turn(at: machine.now)
      isBusy = true
    }
    if centralRadio.hasPacket, let packet = taken({ centralRadio.nextPacket(into: &$0) }) {
      central.receive(packet.span, at: machine.now)
      isBusy = true
    }
    if let packet = taken({ central.nextPacket(into: &$0, at: machine.now) }) {
      centralRadio.send(packet.span)
      isBusy = true
    }
    return isBusy
  }
}

/// What `write` writes; `nil` if it says that there is nothing.
private func taken(_ write: (inout ByteWriter) -> Bool) -> [UInt8]? {
  var storage = [UInt8](repeating: 0, count: 1_024)
  var count = 0
  do {
    var writer = ByteWriter(storage.mutableSpan)
    guard write(&writer) else { return nil }
    count = writer.count
  }
  return Array(storage.prefix(count))
}
