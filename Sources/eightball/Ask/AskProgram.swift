import BluetoothHost
import EightBall
import LinuxRadio

/// Asks one ball one question, or each line of standard input: the host's own client, and what it
/// does next.
struct AskProgram: RadioTask, ~Copyable {
  /// A host that is only a client, with one link.
  typealias Host = BluetoothHost.Host<
    1, NoServer, GATTClient<1, ClientEvents>,
    SecurityManager<1, P256KeyAgreement, SystemRandom, BondTable<16>, PairingPrompts>, NoChannels
  >

  /// What happens with the first candidate.
  enum Stage: Equatable {
    /// There is none, or it is connected to later: at this time at the earliest.
    case waiting(until: Instant)
    /// The host connects to it, since this time.
    case connecting(since: Instant)
    /// The attempt gives way to the scan.
    case yielding
    /// The link is open.
    case linked
    /// The link to an earlier one is being ended.
    case dropping
  }

  /// An operation on the link, in the order in which a ball is asked.
  enum Step {
    case exchangeMTU, findService, findCharacteristics
    case findDescriptors, subscribe, write
    case unsubscribe
  }

  /// How long an attempt or the scan has the radio while the other waits, in milliseconds.
  static let turn: UInt32 = 2_000
  /// How long an attempt waits after the controller could not connect, in milliseconds.
  static let retryPause: UInt32 = 250
  /// How long a ball is prepared before the scan goes on beside it, in milliseconds.
  static let scanPause: UInt32 = 250
  /// How long no ball is taken after this side had no room for a link, in milliseconds.
  static let roomPause: UInt32 = 5_000
  /// How long the end of the subscription may take, in milliseconds.
  static let unsubscribeTimeout: UInt32 = 1_000
  /// How long the end of the link may take, in milliseconds.
  static let disconnectTimeout: UInt32 = 2_000

  var host: Host
  let request: AskRequest
  let printer: AskPrinter
  var bonds: AskBonds

  /// The found balls. The first one is being prepared or asked.
  var candidates: [NearbyDevice] = []
  /// Balls that are not taken again.
  var rejected: [DeviceAddress] = []
  var stage = Stage.waiting(until: Instant(rawValue: 0))
  /// Whether the first candidate is the ball to ask: it can be asked.
  var isChosen = false
  var isSubscribed = false
  /// Why the bond's key did not encrypt the link, which therefore ends; `nil` if it does not.
  var closing: HCIErrorCode?
  /// The next operation on the link.
  var step: Step?
  /// The operation under way.
  var running: Step?
  /// The request that waits until the link is protected.
  var securing: Securing?
  /// Whether the current request has been repeated over a protected link.
  var isRepeated = false

  /// The question that is being asked; `nil` between questions.
  var question: String?
  /// Whether it was written, and whether the ball has accepted it.
  var isWritten = false
  var isAccepted = false
  /// An answer that came before the confirmation of the write.
  var earlyAnswer: String?
  /// The questions after that one.
  var waiting: [String]
  var hasInputEnded: Bool

  /// The outcome if no other ball is found.
  var fallback = AskOutcome.noBallFound
  var isSearchOver = false
  /// The outcome; `nil` until then.
  var outcome: AskOutcome?

  var searchEnd: Instant?
  var wholeEnd: Instant?
  var preparationEnd: Instant?
  var answerEnd: Instant?
  var scanResumption: Instant?
  /// Until when no ball is taken.
  var roomTime: Instant?
  /// When the program ends at the latest.
  var shutdownEnd: Instant?

  /// - Parameters:
  ///   - address: The address of this device.
  ///   - bonds: The bonds with balls, which the program takes.
  init(
    _ request: AskRequest, address: AddressChoice, bonds: consuming AskBonds, printer: AskPrinter
  ) {
    self.request = request
    self.printer = printer
    let own = bonds.own(address)
    let policy = PairingPolicy(
      isOpen: request.pairs, ioCapability: request.pairs ? .keyboardDisplay : .noInputNoOutput,
      confirmsJustWorks: request.pairs)
    host = Host(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("eightball")), service: nil, address: own),
      server: NoServer(),
      client: GATTClient(application: ClientEvents(reportsChangesOnly: false)),
      security: SecurityManager(
        policy: policy, identity: nil, bonds: bonds.takeBonds(), delegate: PairingPrompts(),
        agreement: P256KeyAgreement(), random: SystemRandom()))
    self.bonds = bonds
    waiting = request.question.map { [$0] } ?? []
    // Without lines to wait for, the first question is the last.
    hasInputEnded = !request.stays
  }

  // MARK: RadioTask

  mutating func radioIsReady(at now: Instant) {
    host.start(at: now)
    handleEvents(at: now)
  }

  mutating func radioFailed(_ error: RadioError, at now: Instant) {
    host.radioLost()
    finish(.radioFailed(error), at: now)
    handleEvents(at: now)
  }

  mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    host.receive(packet, at: now)
    handleEvents(at: now)
  }

  var mayHavePacket: Bool { host.mayHavePacket }

  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    host.nextPacket(into: &writer, at: now)
  }

  mutating func advance(to now: Instant) {
    host.advance(to: now)
    handleEvents(at: now)
    if outcome == nil { expire(at: now) }
    if let end = shutdownEnd, end <= now { shutDown(at: now) }
    handleEvents(at: now)
  }

  mutating func turnEnded(at now: Instant) {
    if host.security.bonds.isChanged { keepBonds() }
  }

  mutating func interrupt(at now: Instant) {
    if outcome == nil {
      finish(.cancelled, at: now)
    } else if !isShuttingDown {
      shutDown(at: now)
    }
  }

  var wantsInput: Bool {
    guard outcome == nil else { return false }
    return host.security.delegate.question != nil || request.stays && !hasInputEnded
  }

  mutating func take(_ line: [UInt8]?, at now: Instant) {
    if let prompt = host.security.delegate.question {
      answer(prompt, line, at: now)
    } else {
      takeQuestion(line, at: now)
    }
    handleEvents(at: now)
  }

  var deadline: Instant? {
    var earliest = Instant.earlier(host.deadline, shutdownEnd)
    guard outcome == nil else { return earliest }
    if case .waiting(let time) = stage, !candidates.isEmpty { earliest = .earlier(earliest, time) }
    if case .connecting(let since) = stage {
      earliest = .earlier(earliest, since.advanced(by: Self.turn))
    }
    earliest = .earlier(earliest, .earlier(searchEnd, wholeEnd))
    earliest = .earlier(earliest, .earlier(preparationEnd, answerEnd))
    return .earlier(earliest, scanResumption)
  }

  private(set) var isShuttingDown = false

  var isFinished: Bool {
    isShuttingDown && host.isShutDown || hasTimedOut
  }

  /// Whether the end of the link has taken too long.
  private var hasTimedOut = false

  // MARK: The end

  /// Ends with `outcome`, unless it has one.
  mutating func finish(_ outcome: AskOutcome, at now: Instant) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    step = nil
    securing = nil
    if isSubscribed, !request.stays, stage == .linked, outcome.endsSubscription {
      step = .unsubscribe
      shutdownEnd = now.advanced(by: Self.unsubscribeTimeout)
    } else {
      shutDown(at: now)
    }
  }

  /// Ends the link and the scan.
  mutating func shutDown(at now: Instant) {
    guard !isShuttingDown else {
      hasTimedOut = true
      return
    }
    isShuttingDown = true
    shutdownEnd = now.advanced(by: Self.disconnectTimeout)
    host.shutDown()
  }

  /// Writes the changed bonds to their file.
  private mutating func keepBonds() {
    bonds.keep(host.security.bonds, as: host.address)
    host.security.bonds.markKept()
  }
}

extension AskOutcome {
  /// Whether the subscription is ended before the link.
  fileprivate var endsSubscription: Bool {
    switch self {
    case .answered, .refused, .failed: true
    default: false
    }
  }
}
