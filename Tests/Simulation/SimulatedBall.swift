import BallRunner
import BluetoothHost
import EightBall
import VirtualRadio

extension SplitMix64: SecureRandomNumberGenerator {}

/// A ball as the service runs it: host, runner, panel and bonds, on a simulated machine. Its program ends and starts
/// again; the machine stays.
final class SimulatedBall: HostSide {
  /// How many centrals it serves at once.
  static var links: Int { 2 }
  typealias Manager = SecurityManager<
    2, SimulatedKeyAgreement, SplitMix64, BondTable<16>, PairingGate
  >
  typealias Machine = SimulatedMachine
  typealias Runner = ProtectedBallRunner<2, 1_100, 3_200, 0, Machine, Manager>

  let number: Int
  let watch: BallWatch
  let machine: Machine
  let protection: BallProtection
  private let setup: Setup
  private var runner: Runner
  private var starts: UInt64 = 0
  /// When its program starts again; `nil` while it runs.
  private var startTime: Instant?
  /// Until when its program gets no turn.
  private(set) var stallEnd = Instant(rawValue: 0)
  /// How far its clock is ahead.
  private var lead: UInt64 = 0
  /// Whether its next turn is due at once.
  private var isDue = true
  private var now = Instant(rawValue: 0)
  /// The last deadline that it has given, so that it is computed once a turn.
  private var dueTime: Instant?
  /// The turns at this moment.
  private var turns = 0

  init(_ number: Int, _ setup: Setup, _ report: @escaping (String) -> Void) {
    self.number = number
    self.setup = setup
    protection = setup.protections[number]
    watch = BallWatch { report("ball \(number): \($0)") }
    machine = Machine(
      watch, isSerial: setup.isSerial, seed: setup.seed &+ UInt64(number))
    runner = Self.makeRunner(setup, number, 0, machine)
  }

  private static func makeRunner(
    _ setup: Setup, _ number: Int, _ start: UInt64, _ machine: Machine
  ) -> Runner {
    let protection = setup.protections[number]
    var random = SplitMix64(seed: setup.seed &+ start << 8 &+ UInt64(number))
    var table = BondTable<16>()
    var identity = machine.start(into: &table, keepsBonds: protection != .none)
    let isPrivate = setup.privateBalls[number]
    if isPrivate, (identity?.identityResolvingKey ?? .zero) == .zero {
      identity = LocalIdentity(simulatedBy: &random)
    }
    var manager = Manager(
      policy: protection.policy(hasUser: protection == .authenticated), identity: identity,
      bonds: table, delegate: PairingGate(protection), agreement: SimulatedKeyAgreement(of: .ball),
      random: random)
    if isPrivate { manager.privacy = .simulated }
    let host = HostConfiguration(
      name: name, service: .ballService,
      address: isPrivate ? identity.map { .random($0.address) } ?? .public : .public, idleLimit: 5)
    var runner = Runner(
      BallConfiguration(host: host, seed: setup.seed &+ start, lines: .words), security: manager,
      on: machine)
    let advertising = setup.advertising[number]
    if advertising != .legacy {
      let isAccepted = runner.advertise(
        advertising == .both ? legacyAdvertisement : nil, AdvertisingSet(.connectable),
        extendedData(of: number).span)
      if !isAccepted { machine.watch.report("the ball does not take its advertising") }
    }
    return runner
  }

  // MARK: Its advertising

  private static var name: DeviceName { DeviceName(StaticText("Magic 8-Ball")) }
  private static var legacyAdvertisement: Advertisement {
    Advertisement(service: .ballService, name: name)
  }

  /// As much data as a connectable set has: a report has 229 bytes, so two reports have it.
  private static func extendedData(of number: Int) -> [UInt8] {
    [244, AdvertisingDataType.completeLocalName.rawValue]
      + (0..<243).map { UInt8(ascii: "A") + UInt8(($0 + number) % 26) }
  }

  /// The data that a scan must find.
  var advertisedData: [[UInt8]] {
    let advertising = setup.advertising[number]
    let legacy = Self.legacyAdvertisement
    return
      (advertising == .extended
      ? [] : [Array(copying: legacy.data.span), Array(copying: legacy.scanResponse.span)])
      + (advertising == .legacy ? [] : [Self.extendedData(of: number)])
  }

  /// Its address at this moment. The world sets this.
  var address: () -> DeviceAddress = { .zero }
  /// How many packets of its host its controller has not taken. The world sets this.
  var refusedPackets: () -> Int = { 0 }

  // MARK: Its state

  var isRunning: Bool { startTime == nil }
  var radio: RadioState { runner.radio }
  var isPairingOpen: Bool { runner.isPairingOpen }
  var connectionCount: Int { runner.connectionCount }
  private var machineTime: Instant { Instant(rawValue: now.rawValue &+ lead) }

  // MARK: A host

  func receive(_ packet: Span<UInt8>, at now: Instant) {
    self.now = now
    if isRunning { machine.receive(packet) }
  }

  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    self.now = now
    if machine.nextPacket(into: &writer) { return true }
    guard isRunning, now >= stallEnd, isDue || machine.hasInput else { return false }
    turn()
    return machine.nextPacket(into: &writer)
  }

  var deadline: Instant? {
    dueTime = nextTurn
    return dueTime
  }

  private var nextTurn: Instant? {
    if let startTime { return startTime }
    if now < stallEnd { return stallEnd }
    if isDue || machine.hasInput { return now }
    // By the time of the air.
    return runner.deadline.map { Instant(rawValue: $0.rawValue - min($0.rawValue, lead)) }
  }

  func advance(to now: Instant) {
    if now > self.now { turns = 0 }
    self.now = now
    if let startTime {
      if startTime <= now { start() }
    } else if now >= stallEnd, let dueTime, dueTime <= now {
      turn()
    }
  }

  private func turn() {
    turns += 1
    if turns > 20_000 { watch.report("the program does not come to rest") }
    machine.now = machineTime
    watch.turnBegins()
    let isUnfinished = runner.turn(at: machine.now)
    isDue = isUnfinished ?? false
    checkTurn()
    if machine.disk.isOff { return cutPower() }
    // Without a radio at the start the service ends, and is started again.
    if isUnfinished == nil || runner.isFinished(at: machine.now) { close() }
  }

  private func checkTurn() {
    let figures = runner.figures
    let lines = machine.lines
    let lit: (Bool, Bool)? =
      machine.areLinesOpen && lines.chip.isPresent
      ? (lines.isLit(.status) ?? false, lines.isLit(.answer) ?? false) : nil
    watch.checkLights(
      runner.radio, hasLinks: runner.connectionCount > 0, isPairingOpen: isPairingOpen,
      answers: figures[.answers],
      refusals: figures[.refusedStatements] + figures[.refusedNotUTF8] + figures[.refusedTooLong],
      lit: lit, at: machine.now)
  }

  // MARK: Its program

  private func start() {
    startTime = nil
    starts += 1
    runner = Self.makeRunner(setup, number, starts, machine)
    watch.restartLights(at: machineTime)
    isDue = true
  }

  /// Ends in the usual way, and starts 200 ms later.
  private func close() {
    runner.close()
    stop(for: 200)
  }

  /// Ends at once, and starts after so many milliseconds.
  func stop(for milliseconds: UInt32) {
    guard isRunning else { return }
    machine.closeRadio()
    machine.closeLines()
    machine.disk.endProcess()
    watch.checkBonds(on: machine.disk)
    startTime = now.advanced(by: milliseconds)
  }

  /// The machine loses its power, and has it again after 3 s.
  func cutPower() {
    machine.disk.crash(seed: setup.seed &+ starts)
    watch.checkBonds(on: machine.disk)
    stop(for: 3_000)
  }

  func end() { machine.endRequests += 1; isDue = true }

  // MARK: Its machine

  func press(_ button: ButtonName, for milliseconds: UInt32) {
    watch.expect(button, times: 2, at: now, stallEnd: stallEnd)
    _ = machine.lines.press(button, for: milliseconds, at: machineTime)
    isDue = true
  }

  func bounce(_ button: ButtonName, edges: Int) {
    let lines = machine.lines
    guard !lines.isDown(button) else { return }
    watch.expect(button, times: edges + 1, at: now, stallEnd: stallEnd)
    let offset = button == .shake ? 0 : 1
    lines.chip.advance(to: machineTime.rawValue &* 1_000_000)
    for edge in 0..<edges { lines.chip.drive(offset, edge % 2 == 0 ? .low : .nothing) }
    lines.chip.drive(offset, .nothing)
    isDue = true
  }

  func removeChip() {
    machine.lines.chip.remove()
    // It may be back before the ball's next turn.
    watch.areLinesLost = true
    isDue = true
  }

  func sleep(for milliseconds: UInt32) {
    lead += UInt64(milliseconds)
    watch.lightsCheckTime = machineTime.advanced(by: 3_000)
    isDue = true
  }

  func stall(for milliseconds: UInt32) {
    stallEnd = max(stallEnd, now.advanced(by: milliseconds))
    watch.stall(at: now, until: stallEnd)
    watch.lightsCheckTime = Instant(rawValue: stallEnd.rawValue &+ lead).advanced(by: 3_000)
  }

  func block(for milliseconds: UInt32) { machine.blockEnd = machineTime.advanced(by: milliseconds) }

  /// Ends all faults of its machine.
  func recover() {
    machine.disk.failure = .none
    machine.disk.cutPower(afterCalls: -1)
    machine.lines.chip.restore()
    machine.blockEnd = Instant(rawValue: 0)
    stallEnd = min(stallEnd, now)
    isDue = true
  }
}

extension LocalIdentity {
  /// The identity of a device with private addresses.
  init(simulatedBy random: inout SplitMix64) {
    let number = random.next()
    self.init(
      identityResolvingKey: random.nextNumber(),
      address: .staticRandom(
        InlineArray { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }))
  }
}

extension PrivacyPolicy {
  /// Private addresses for a minute each.
  static var simulated: PrivacyPolicy { PrivacyPolicy(hidesIdentity: true, renewalInterval: 60) }
}
