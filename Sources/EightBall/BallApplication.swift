import BluetoothHost

/// The Magic 8-Ball: takes questions, and answers each with one of twenty answers.
///
/// A question is text in UTF-8 whose last byte is `?`. The write response goes out first. The
/// answer is then notified to the central that asked, at once or as soon as it subscribes. Each
/// central has its own question and answer. There are at most `UInt.bitWidth` connections.
public struct BallApplication<let links: Int>: GATTApplication, ~Copyable {
  private var centrals: InlineArray<links, CentralState>
  // Sets of connections, one bit each, so that a question needs no loop over all connections.
  /// Connections with a central.
  private var connectedCentrals: UInt = 0
  /// Connections with a question.
  private var askingCentrals: UInt = 0
  /// Connections that are subscribed to answers.
  private var subscribedCentrals: UInt = 0
  /// Connections whose answer is still to be notified.
  private var pendingCentrals: UInt = 0
  private var random: RandomSource
  private var events = BallEventQueue()
  private var radio = RadioState.starting
  private let style: AnswerFormat

  /// A ball without questions. More than `UInt.bitWidth` links stop the program.
  ///
  /// - Parameters:
  ///   - seed: Decides all its answers.
  ///   - style: How it words them.
  public init(seed: UInt64, style: AnswerFormat = .text) {
    precondition(
      links <= UInt.bitWidth, "A ball has at most UInt.bitWidth connections.")
    centrals = InlineArray { _ in CentralState() }
    random = RandomSource(seed: seed)
    self.style = style
  }

  // MARK: For the panel and the runner

  /// Shakes the ball: a new answer to the last question of each central that has asked and is
  /// subscribed.
  ///
  /// - Returns: How many centrals get a new answer.
  @discardableResult
  public mutating func shake() -> Int {
    var rest = subscribedCentrals & askingCentrals
    var count = 0
    pendingCentrals |= rest
    while rest != 0 {
      centrals[rest.trailingZeroBitCount].answer = Answer.random(from: &random)
      rest &= rest &- 1
      count &+= 1
    }
    return count
  }

  /// Deletes every question and answer, including those that are still to be notified.
  public mutating func clear() {
    for connectionIndex in 0..<links { centrals[connectionIndex].clear() }
    askingCentrals = 0
    pendingCentrals = 0
  }

  /// What the lights show.
  public var lights: BallLights {
    let isConnected = connectedCentrals != 0
    let status: BallLights.Status =
      switch radio {
      case .fault: .fault
      case .starting: .starting
      case .advertising: isConnected ? .connected : .advertising
      case .silent: isConnected ? .connected : .off
      }
    return BallLights(status: status, isAnswering: !pendingConnections.isEmpty)
  }

  /// Whether an event waits.
  public var hasEvents: Bool { !events.isEmpty }

  /// Takes the oldest waiting event; `nil` without one. The last 32 are kept.
  public mutating func nextEvent() -> BallEvent? {
    events.next()
  }

  /// Gives `body` the last question of the central at `connectionIndex`, in UTF-8; empty without a
  /// question or a central.
  public mutating func withQuestion(at connectionIndex: Int, _ body: (Span<UInt8>) -> Void) {
    guard connectionIndex >= 0, connectionIndex < links else { return }
    centrals[connectionIndex].withQuestion(body)
  }

  /// The central at `connectionIndex`; `nil` without one.
  public func address(at connectionIndex: Int) -> DeviceAddress? {
    connectionIndex >= 0 && connectionIndex < links ? centrals[connectionIndex].address : nil
  }

  /// Whether the central at `connectionIndex` is subscribed to answers.
  public func isListening(at connectionIndex: Int) -> Bool {
    subscribedCentrals & bit(of: connectionIndex) != 0
  }

  // MARK: For the host

  /// A central has connected.
  public mutating func centralConnected(at connectionIndex: Int, address: DeviceAddress) {
    centrals[connectionIndex].address = address
    connectedCentrals |= bit(of: connectionIndex)
    events.append(.connected(connectionIndex: connectionIndex, address: address))
  }

  /// A central has disconnected. Deletes all its data.
  public mutating func centralDisconnected(at connectionIndex: Int, reason: HCIErrorCode) {
    let address = centrals[connectionIndex].address ?? .zero
    centrals[connectionIndex].leave()
    let others = ~bit(of: connectionIndex)
    connectedCentrals &= others
    askingCentrals &= others
    subscribedCentrals &= others
    pendingCentrals &= others
    events.append(.disconnected(connectionIndex: connectionIndex, address: address, reason: reason))
  }

  /// A central has subscribed or unsubscribed.
  @inline(__always)
  public mutating func configurationChanged(
    of attribute: ApplicationAttribute, at connectionIndex: Int,
    to configuration: ClientConfiguration
  ) {
    guard attribute == .answer else { return }
    let isListening = configuration.contains(.notification)
    guard isListening != (subscribedCentrals & bit(of: connectionIndex) != 0) else { return }
    subscribedCentrals ^= bit(of: connectionIndex)
    events.append(.subscribed(connectionIndex: connectionIndex, isListening))
  }

  /// Reads the last answer for this central; empty before the first.
  public mutating func read(
    _ attribute: ApplicationAttribute, at connectionIndex: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    guard attribute == .answer else { throw .error(.readNotPermitted) }
    centrals[connectionIndex].answer?.write(style, to: &value)
  }

  /// Takes a question and answers or refuses it.
  public mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at connectionIndex: Int
  ) throws(GATTRefusal) {
    guard attribute == .question else { throw .error(.writeNotPermitted) }
    if let error = QuestionRule.error(in: value) {
      events.append(.refused(connectionIndex: connectionIndex, error))
      throw .error(error.code)
    }
    guard centrals[connectionIndex].question.assign(value) else {
      throw .error(.invalidAttributeValueLength)
    }
    centrals[connectionIndex].answer = Answer.random(from: &random)
    askingCentrals |= bit(of: connectionIndex)
    pendingCentrals |= bit(of: connectionIndex)
    events.append(.asked(connectionIndex: connectionIndex))
  }

  /// The connections with an answer that is still to be notified.
  public var pendingConnections: ConnectionSet {
    ConnectionSet(rawValue: pendingCentrals & subscribedCentrals)
  }

  /// The answer, if it is pending and its central is subscribed.
  public func pendingUpdate(at connectionIndex: Int) -> ApplicationAttribute? {
    pendingCentrals & subscribedCentrals & bit(of: connectionIndex) != 0 ? .answer : nil
  }

  /// Writes the answer in the chosen style. It is no longer pending.
  @inline(__always)
  public mutating func writeUpdate(
    of attribute: ApplicationAttribute, at connectionIndex: Int, into value: inout ByteWriter
  ) {
    guard let answer = centrals[connectionIndex].answer else { return }
    pendingCentrals &= ~bit(of: connectionIndex)
    answer.write(style, to: &value)
    events.append(.answered(connectionIndex: connectionIndex, answer))
  }

  /// Notes the state for the lights and the events.
  public mutating func radioChanged(to state: RadioState) {
    radio = state
    events.append(.radio(state))
  }

  /// The set of `connectionIndex` alone; empty if there is no such connection.
  private func bit(of connectionIndex: Int) -> UInt {
    connectionIndex >= 0 && connectionIndex < links
      ? 1 &<< UInt(bitPattern: connectionIndex) : 0
  }
}

/// The data of one central.
private struct CentralState: ~Copyable {
  /// Its address; `nil` while the connection is unused.
  var address: DeviceAddress?
  /// Its last question; empty if there is none.
  var question = ByteBuffer<512>()
  /// The last answer, which a read gives too.
  var answer: Answer?

  init() {}

  mutating func withQuestion(_ body: (Span<UInt8>) -> Void) {
    body(question.span)
  }

  mutating func clear() {
    question.removeAll()
    answer = nil
  }

  mutating func leave() {
    clear()
    address = nil
  }
}
