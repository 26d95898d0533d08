import BluetoothHost
import EightBall
import VirtualRadio

/// What a ball that asks others does with what it finds. On each link, whichever side began it, it agrees on an
/// MTU, subscribes, and asks thirty questions, each after the answer to the one before.
struct AskingClient: ClientApplication {
  /// A link to another ball.
  struct Link {
    let peer: DeviceAddress
    let role: LEConnectionComplete.Role
    /// The next operation; `nil` while one is under way.
    var next: ClientOperation?
    /// The question under way.
    var question = ""
    /// Whether the question has been accepted, and its answer has not come.
    var awaitsAnswer = false
    /// How many answers have come.
    var answers = 0
    /// Whether every question has its answer.
    var isDone: Bool { answers >= 30 }
  }

  let name: String
  var links: [Int: Link] = [:]
  /// Another ball that takes connections.
  var found: DeviceAddress?
  var failedAttempts = 0
  /// The controller has refused a scan: the next one waits.
  var isScanRefused = false
  /// The questions that balls have accepted.
  var accepted: [String] = []
  var answerCount = 0
  /// How many accepted questions had no answer when their link ended.
  var lostAnswers = 0
  /// Operations that ended with an error other than the end of their link.
  var errors: [OperationError] = []
  /// What protects the link that was last reported.
  var security = LinkSecurity.none
  private var questionCount = 0

  init(name: String) {
    self.name = name
  }

  private mutating func ask(at index: Int) {
    questionCount += 1
    let question = "\(name) \(questionCount)?"
    links[index]?.question = question
    links[index]?.next = .write(Handles.question, byteCount: question.utf8.count)
  }

  mutating func received(_ report: borrowing AdvertisingReport) {
    if report.isConnectable == true { found = report.address }
  }

  mutating func scanFailed(_ reason: HCIErrorCode) { isScanRefused = true }
  mutating func connectionFailed(_ reason: HCIErrorCode) { failedAttempts += 1 }

  mutating func connected(
    at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role
  ) {
    links[index] = Link(peer: peer, role: role, next: .exchangeMTU)
  }

  mutating func disconnected(at index: Int, reason: HCIErrorCode) {
    if links[index]?.awaitsAnswer == true { lostAnswers += 1 }
    links[index] = nil
  }

  mutating func ended(_ operation: ClientOperation, with error: OperationError?, at index: Int) {
    if let error {
      if error != .disconnected { errors.append(error) }
      return
    }
    switch operation {
    case .exchangeMTU:
      links[index]?.next = .subscribe(Handles.configuration, .notification)
    case .subscribe:
      ask(at: index)
    case .write:
      guard let question = links[index]?.question else { return }
      accepted.append(question)
      links[index]?.awaitsAnswer = true
    default:
      break
    }
  }

  mutating func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {
    guard handle == Handles.answer, links[index]?.awaitsAnswer == true else { return }
    links[index]?.awaitsAnswer = false
    links[index]?.answers += 1
    answerCount += 1
    if links[index]?.isDone == false { ask(at: index) }
  }

  func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {
    let rest = Array((links[index]?.question ?? "").utf8.dropFirst(offset))
    value.writePrefix(of: rest.span)
  }

  mutating func securityChanged(to security: LinkSecurity, at index: Int) {
    self.security = security
  }

  mutating func found(_ service: RemoteService, at index: Int) {}
  mutating func found(_ include: RemoteInclude, at index: Int) {}
  mutating func found(_ characteristic: RemoteCharacteristic, at index: Int) {}
  mutating func found(_ descriptor: RemoteDescriptor, at index: Int) {}
  mutating func read(_ part: Span<UInt8>, from offset: Int, at index: Int) {}
  mutating func readRSSI(_ rssi: Int8?, at index: Int) {}
  mutating func radioChanged(to state: RadioState) {}
}

/// A ball that is asked and asks: a host in both roles.
final class AskingBall: HostSide {
  var host:
    Host<
      4, GATTServer<4, EightBallProfile.Database, BallApplication<4>>, GATTClient<4, AskingClient>,
      NoSecurity,
      NoChannels
    >
  /// The questions that it was asked.
  private(set) var questions: [String] = []
  /// When an attempt to connect is given up.
  private var attemptEnd: Instant?
  /// When the next attempt may begin.
  private var pauseEnd: Instant?
  /// When a link is ended on which this ball has asked all its questions. The other may need longer.
  private var linkEnd: Instant?
  private var random: RandomSource

  init(name: String, number: UInt8, seed: UInt64) {
    random = RandomSource(seed: seed &+ UInt64(number))
    host = Host(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("Ball")), service: .ballService, address: .public),
      server: GATTServer(
        database: EightBallProfile.makeDatabase(),
        application: BallApplication<4>(seed: UInt64(number))),
      client: GATTClient(application: AskingClient(name: name)))
  }

  var askingClient: AskingClient { host.client.application }

  var deadline: Instant? {
    let own = Instant.earlier(attemptEnd, Instant.earlier(pauseEnd, linkEnd))
    return Instant.earlier(host.deadline, own)
  }

  func advance(to now: Instant) {
    host.advance(to: now)
    if let attemptEnd, attemptEnd <= now {
      self.attemptEnd = nil
      host.cancelConnection()
    }
    if let pauseEnd, pauseEnd <= now { self.pauseEnd = nil }
    act(at: now)
  }

  /// Begins what its client wants, and then writes a packet.
  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    act(at: now)
    return host.nextPacket(into: &writer, at: now)
  }

  func receive(_ packet: Span<UInt8>, at now: Instant) {
    host.receive(packet, at: now)
    while let event = host.server.application.nextEvent() {
      guard case .asked(let connectionIndex) = event else { continue }
      host.server.application.withQuestion(at: connectionIndex) { question in
        questions.append(String(decoding: question.indices.map { question[$0] }, as: UTF8.self))
      }
    }
  }

  private func act(at now: Instant) {
    for index in askingClient.links.keys.sorted() {
      guard let operation = askingClient.links[index]?.next, host.perform(operation, at: index)
      else {
        continue
      }
      host.client.application.links[index]?.next = nil
    }
    endLinks(at: now)
    if askingClient.isScanRefused {
      host.client.application.isScanRefused = false
      pauseEnd = now.advanced(by: 50)
    }
    // Two devices have one link at most. The first device begins it.
    guard askingClient.links.isEmpty, pauseEnd == nil, host.canConnect else { return }
    if let found = askingClient.found {
      host.client.application.found = nil
      host.scan(nil)
      guard host.connect(to: found) else { return }
      attemptEnd = now.advanced(by: 3_000)
      pauseEnd = now.advanced(by: 200 + random.next(below: 1_000))
    } else if host.scanParameters == nil {
      host.scan(ScanParameters())
    }
  }

  /// The central ends its link after the last answer. The peripheral does if it does not hear of
  /// that end.
  private func endLinks(at now: Instant) {
    guard
      let (index, link) = askingClient.links.first(where: { $0.value.isDone })
    else {
      linkEnd = nil
      return
    }
    let end = linkEnd ?? now.advanced(by: link.role == .central ? 1_000 : 10_000)
    linkEnd = end
    if end <= now {
      linkEnd = nil
      host.disconnect(at: index)
    }
  }
}
