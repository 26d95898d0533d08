import BluetoothHost
import EightBall
import VirtualRadio

/// A central with our client and bonds of its own. It asks one question after the other, and counts the answers.
final class SimulatedCentral: HostSide {
  typealias Manager = SecurityManager<
    1, SimulatedKeyAgreement, SplitMix64, BondTable<4>, CentralUser
  >
  typealias Client = ScanningClient<1, AskingClient, ExtendedScanner<2, 245>>
  typealias CentralHost = Host<1, NoServer, Client, Manager, NoChannels>

  /// What it does on its link.
  private enum Task: Equatable {
    case subscribe(Bool), ask, command, state, read, discover, pair, secure
  }

  let number: Int
  private let setup: Setup
  private var host: CentralHost
  private var starts: UInt64 = 0
  private let report: (String) -> Void
  /// Whether a controller has a fault that may still begin.
  private let hasFault: (SimulatedBall) -> Bool
  /// Whether a controller had a fault since it began to connect: it may disturb the link that its host has yet to see.
  private var isNextLinkDisturbed = false
  private let handles: AskingClient.Handles

  /// The ball that it wants to be connected to.
  private var target: SimulatedBall?
  private var link: SimulatedLink?
  private var tasks: [Task] = []
  private var nextTask = 0
  private var task: Task?
  private var wantsAnswers = false
  private var retryTime: Instant?
  private var scanEnd: Instant?
  private var now = Instant(rawValue: 0)
  /// The last deadline that it has given, so that it is computed once a turn.
  private var dueTime: Instant?
  /// Whether it has nothing to send before a packet, a deadline, or a call of its methods.
  private var isQuiet = false
  /// The answers that have come.
  private(set) var answerCount = 0

  init(
    _ number: Int, _ setup: Setup, hasFault: @escaping (SimulatedBall) -> Bool,
    report: @escaping (String) -> Void
  ) {
    self.number = number
    self.setup = setup
    self.hasFault = hasFault
    self.report = { report("central \(number): \($0)") }
    handles = AskingClient.Handles()
    host = Self.makeHost(setup, number, 0, handles, BondTable())
  }

  private static func makeHost(
    _ setup: Setup, _ number: Int, _ start: UInt64, _ handles: AskingClient.Handles,
    _ bonds: consuming BondTable<4>
  ) -> CentralHost {
    let seed = setup.seed &+ UInt64(number + 100)
    // It has the same identity after each start.
    var random = SplitMix64(seed: seed)
    let identity = setup.areCentralsPrivate ? LocalIdentity(simulatedBy: &random) : nil
    var manager = Manager(
      policy: PairingPolicy(ioCapability: .displayYesNo), identity: identity, bonds: bonds,
      delegate: CentralUser(), agreement: SimulatedKeyAgreement(of: .central),
      random: SplitMix64(seed: seed &+ start << 8))
    if identity != nil { manager.privacy = .simulated }
    return CentralHost(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("Central")), service: nil,
        address: identity.map { .random($0.address) } ?? .public),
      server: NoServer(),
      client: Client(application: AskingClient(handles, length: number % 2 == 0 ? 16 : 24)),
      security: manager)
  }

  // MARK: A host

  func start(at now: Instant) {
    self.now = now
    host.start(at: now)
  }

  func receive(_ packet: Span<UInt8>, at now: Instant) {
    self.now = now
    isQuiet = false
    host.receive(packet, at: now)
    handleEvents()
  }

  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    guard !isQuiet else { return false }
    self.now = now
    if host.nextPacket(into: &writer, at: now) { return true }
    guard handleEvents() else {
      isQuiet = true
      return false
    }
    return host.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? {
    dueTime = Instant.earlier(host.deadline, Instant.earlier(retryTime, scanEnd))
    return dueTime
  }

  func advance(to now: Instant) {
    self.now = now
    guard let dueTime, dueTime <= now else { return }
    isQuiet = false
    if let retryTime, retryTime <= now { self.retryTime = nil }
    if let scanEnd, scanEnd <= now { endScan() }
    host.advance(to: now)
    handleEvents()
  }

  // MARK: What a script asks of it

  func connect(to ball: SimulatedBall) {
    guard target !== ball else { return }
    isQuiet = false
    disconnect()
    target = ball
    proceed()
  }

  func disconnect() {
    isQuiet = false
    // What is under way is no longer counted.
    disturb()
    target = nil
    clearTasks()
    host.cancelConnection()
    host.disconnectAll()
  }

  func subscribe(_ isWanted: Bool) {
    wantsAnswers = isWanted
    add(.subscribe(isWanted))
  }

  func ask(_ times: Int) { for _ in 0..<times { add(.ask) } }
  func command() { add(.command) }
  func state() { add(.state) }
  func read() { add(.read) }
  func discover() { add(.discover) }
  func pair() { add(.pair) }
  /// Encrypts its link with the key of its bond, or pairs if it has none.
  func secure() { add(.secure) }

  /// Scans for three seconds, or until it has found all of `data`.
  func scan(for data: [[UInt8]] = []) {
    isQuiet = false
    host.client.application.missingData = data
    host.scan(ScanParameters())
    scanEnd = now.advanced(by: 3_000)
  }

  private func endScan() {
    scanEnd = nil
    host.scan(nil)
  }

  /// Whether its scan has found all data.
  var hasFoundAll: Bool { host.client.application.missingData.isEmpty }

  private func add(_ task: Task) {
    guard target != nil, tasks.count < 200 else { return }
    isQuiet = false
    tasks.append(task)
    proceed()
  }

  private func clearTasks() {
    tasks.removeAll(keepingCapacity: true)
    nextTask = 0
    task = nil
  }

  func forget() {
    isQuiet = false
    // The bond may have restored a subscription.
    if host.security.security(at: 0).contains(.bonded) { link?.maySubscribe() }
    while host.security.bonds.count > 0 { host.security.removeBond(at: 0) }
  }

  /// Its program ends, and starts with its bonds. The controller is reset.
  func restart() {
    isQuiet = false
    var bonds = BondTable<4>()
    for index in (0..<host.security.bonds.count).reversed() {
      if let bond = host.security.bonds.bond(at: index) { bonds.store(bond) }
    }
    starts += 1
    link = nil
    target = nil
    scanEnd = nil
    clearTasks()
    host = Self.makeHost(setup, number, starts, handles, bonds)
    host.start(at: now)
  }

  /// Packets of its link may be lost or changed from now on.
  func disturb(ifWith ball: SimulatedBall? = nil) {
    guard ball == nil || (link?.ball ?? target) === ball else { return }
    if link != nil { link?.disturb() } else { isNextLinkDisturbed = true }
  }

  /// Whether it has nothing to do, and no link.
  var isIdle: Bool { link == nil && target == nil && host.connectionCount == 0 }
  var isConnected: Bool { link != nil }
  var isEncrypted: Bool { host.security.security(at: 0).contains(.encrypted) }

  // MARK: Answers

  /// Reports an answer that has not come in time.
  func check() {
    guard link?.takeLateAnswer(at: now) == true else { return }
    if let violation = link?.lateAnswerViolation { report(violation) }
    isQuiet = false
  }

  private func heardAnswer(isWhole: Bool) {
    answerCount += 1
    guard link != nil else { return report("an answer came without a link") }
    let isBonded = host.security.security(at: 0).contains(.bonded)
    if let violation = link?.heardAnswer(isWhole: isWhole, isBonded: isBonded, at: now) {
      report(violation)
    }
  }

  // MARK: Events

  /// Handles the client's events, and begins what can begin; whether there was any.
  @discardableResult private func handleEvents() -> Bool {
    let count = host.client.application.eventCount
    guard count > 0 || host.security.delegate.hasPrompt else {
      return proceed()
    }
    if host.security.delegate.hasPrompt {
      host.security.delegate.hasPrompt = false
      _ = host.security.confirm(true, at: 0, at: now)
    }
    for index in 0..<count { handle(host.client.application.event(at: index)) }
    host.client.application.removeEvents()
    proceed()
    return true
  }

  private func handle(_ event: AskingClient.Event) {
    switch event {
    case .connected:
      guard let target else { return host.disconnectAll() }
      link = SimulatedLink(
        to: target, isDisturbed: isNextLinkDisturbed || hasFault(target), at: now)
      if wantsAnswers { tasks.insert(.subscribe(true), at: nextTask) }
    case .disconnected:
      link = nil
      clearTasks()
      retryTime = now.advanced(by: 1_000)
    case .failed: retryTime = now.advanced(by: 1_000)
    case .answered(let isWhole): heardAnswer(isWhole: isWhole)
    case .ended(let error):
      guard let ended = task else { return }
      task = nil
      if let error { checkError(error) } else { finish(ended) }
    }
  }

  /// On a link whose packets all arrive, the ball answers each request as it should.
  private func checkError(_ error: OperationError) {
    guard let link, !link.isDisturbed else { return }
    switch error {
    case .wrongResponse, .timedOut: report("a request of an undisturbed link failed: \(error)")
    case .refused, .disconnected, .encryptionFailed, .tooLong: break
    }
  }

  private func finish(_ task: Task) {
    switch task {
    case .subscribe(let isOn): link?.subscribed(isOn, at: now)
    case .ask:
      if let violation = link?.accepted(isEncrypted: isEncrypted, at: now) { report(violation) }
    case .command: link?.commanded()
    case .state, .read, .discover, .pair, .secure: break
    }
  }

  /// Begins the next task, or to connect; whether something began.
  @discardableResult private func proceed() -> Bool {
    guard link != nil else { return connect() }
    guard task == nil, nextTask < tasks.count else { return false }
    let next = tasks[nextTask]
    // The next question follows the answer to the last one.
    if next == .ask, link?.awaitsAnswer == true { return false }
    nextTask += 1
    if nextTask == tasks.count {
      tasks.removeAll(keepingCapacity: true)
      nextTask = 0
    }
    return begin(next)
  }

  private func connect() -> Bool {
    guard let target, retryTime == nil, host.canConnect, host.radio == .silent else {
      return false
    }
    isNextLinkDisturbed = hasFault(target)
    // It knows the ball's address by an advertisement, and connects to a bonded ball by its identity.
    return host.connect(to: host.security.noteAdvertiser(target.address()))
  }

  private func begin(_ next: Task) -> Bool {
    if next == .pair { return host.security.pair(at: 0, at: now) }
    if next == .secure { return host.security.secure(at: 0, at: now) }
    if next == .ask || next == .command { link?.asks(at: now) }
    host.client.application.isStatement = next == .state
    let operation: ClientOperation =
      switch next {
      case .subscribe(let isOn): .subscribe(handles.configuration, isOn ? .notification : .none)
      case .ask, .state: .write(handles.question, byteCount: host.client.application.length)
      case .command: .writeWithoutResponse(handles.question, byteCount: 8)
      case .read: .read(handles.answer)
      case .discover, .pair, .secure: .discoverServices
      }
    guard host.perform(operation, at: 0) else { return false }
    if next == .subscribe(true) { link?.maySubscribe() }
    task = next
    return true
  }
}
