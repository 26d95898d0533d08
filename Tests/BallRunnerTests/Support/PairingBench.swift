import BallTestSupport
import BluetoothHost
import EightBall
import Expectations
import VirtualRadio

@testable import BallRunner

/// A ball that protects its links, with a board, and a central that pairs with it, on one air. It is
/// the ball's side of the air: the machine's packets go to the controller.
final class PairingBench {
  /// The ball on its machine.
  final class Side: HostSide {
    let machine: TestMachine
    var ball:
      ProtectedBallRunner<
        4, 2_053, 8_192, 8_192, TestMachine, BallSecurityManager<4, FixedRandom>
      >
    /// How many packets of the ball its controller has received.
    private var sentCount = 0

    init(
      _ configuration: BallConfiguration, _ security: consuming BallSecurityManager<4, FixedRandom>,
      _ machine: TestMachine
    ) {
      self.machine = machine
      ball = ProtectedBallRunner(configuration, security: security, on: machine)
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

  private let bench = AirBench(seed: 8)
  private let device: AirDevice<Side>
  let central: SecureDevice

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
    var table = BondTable<16>()
    let identity = bonds.isEmpty ? nil : try? BondFileFormat.read(bonds.span, into: &table)
    let security = BallSecurityManager<4, FixedRandom>(
      policy: protection.policy(hasUser: hasUser, staysOpen: staysOpen), identity: identity,
      bonds: table, delegate: PairingGate(protection), agreement: P256KeyAgreement(),
      random: FixedRandom(seed: 1))
    device = bench.add(
      Side(.test(isJSON ? .json : .words), security, machine),
      on: bench.air.addController(
        address: DeviceAddress(kind: .public, bytes: [1, 0xBA, 0x11, 0, 0, 0xF0])))
    central = SecureDevice(
      number: 2, policy: PairingPolicy(ioCapability: hasUser ? .displayYesNo : .noInputNoOutput),
      on: bench)
    run(for: 100)
  }

  var machine: TestMachine { device.host.machine }
  var side: Side { device.host }
  var outputLines: [String] { machine.outputLines }
  var bondCount: Int { side.ball.ball.host.security.bondCount }

  /// A turn of the ball alone.
  func turn() { _ = side.ball.turn(at: machine.now) }

  func connect() {
    _ = central.host.connect(to: device.controller.address)
    run(for: 1_000)
  }

  func disconnect() {
    central.host.disconnectAll()
    run(for: 1_000)
  }

  /// The central pairs, or encrypts with its bond; whether its link is then encrypted.
  func secure() -> Bool {
    guard central.secure() else { return false }
    run(for: 2_000)
    return central.isEncrypted
  }

  /// The central begins to pair, and both users are asked.
  func beginPairing() {
    connect()
    expect(central.pair())
    run(for: 3_000)
  }

  /// The central has lost its bond, and comes back.
  func returnWithoutBond() {
    disconnect()
    central.removeBonds()
    connect()
  }

  /// Subscribes to the answer, and writes a question: the error code of each, 0 for success.
  func ask(_ text: String) -> [UInt8] {
    let count = central.collector.results.count
    _ = central.perform(.subscribe(Handles.configuration, .notification))
    run(for: 500)
    _ = central.perform(
      .write(Handles.question, byteCount: text.utf8.count), value: Array(text.utf8))
    run(for: 500)
    return central.collector.results.dropFirst(count).map {
      switch $0 {
      case .success: 0
      case .failure(.refused(let response)): response.code.rawValue
      case .failure: 0xFF
      }
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
