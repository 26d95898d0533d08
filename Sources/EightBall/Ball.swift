import BluetoothHost

/// The Magic 8-Ball: takes questions, and answers each with one of twenty answers.
///
/// A question is text in UTF-8 whose last byte is `?`. The write response goes out first; then
/// the answer is notified to the central that asked, if it listens, or else when it begins to.
/// Each central has its own question and its own answer. There are at most `UInt.bitWidth` places.
public struct Ball<let places: Int>: GATTApplication, ~Copyable {
  private var seats: InlineArray<places, Seat>
  // Sets of places, a bit each, so that a question does not walk over all places.
  /// Where a central is.
  private var connectedPlaces: UInt = 0
  /// Whose central has a question.
  private var askedPlaces: UInt = 0
  /// Whose central listens for answers.
  private var listeningPlaces: UInt = 0
  /// Whose answer is still to be notified.
  private var owedPlaces: UInt = 0
  private var random: RandomSource
  private var events = EventQueue()
  private var radio = RadioState.starting
  private let style: AnswerStyle

  /// A ball that has not been asked anything. With more places than `UInt.bitWidth`, the program stops
  /// here.
  ///
  /// - Parameters:
  ///   - seed: decides all its answers.
  ///   - style: how it words them.
  public init(seed: UInt64, style: AnswerStyle = .text) {
    precondition(places <= UInt.bitWidth, "A ball has at most as many places as a UInt has bits.")
    seats = InlineArray { _ in Seat() }
    random = RandomSource(seed: seed)
    self.style = style
  }

  // MARK: For whoever holds the ball

  /// The ball is shaken: a new answer to the last question of each central that has asked and
  /// listens.
  public mutating func shake() {
    var rest = listeningPlaces & askedPlaces
    owedPlaces |= rest
    while rest != 0 {
      seats[rest.trailingZeroBitCount].answer = Answer.random(from: &random)
      rest &= rest &- 1
    }
  }

  /// Every question and answer is forgotten, also those on their way.
  public mutating func clear() {
    for place in 0..<places { seats[place].clear() }
    askedPlaces = 0
    owedPlaces = 0
  }

  /// What its lights are to show.
  public var lights: BallLights {
    let isConnected = connectedPlaces != 0
    let status: BallLights.Status =
      switch radio {
      case .fault: .fault
      case .starting: .starting
      case .advertising: isConnected ? .connected : .advertising
      case .silent: isConnected ? .connected : .off
      }
    return BallLights(status: status, isAnswering: !pendingConnections.isEmpty)
  }

  /// Whether there is an event that has not been fetched.
  public var hasEvents: Bool { !events.isEmpty }

  /// Takes the oldest event that has not been fetched; `nil` if there is none. The last 32 are
  /// kept.
  public mutating func nextEvent() -> BallEvent? {
    events.next()
  }

  /// Gives `body` the last question of the central at `place`, in UTF-8; empty if it has not
  /// asked, or has gone.
  public mutating func withQuestion(at place: Int, _ body: (Span<UInt8>) -> Void) {
    guard place >= 0, place < places else { return }
    seats[place].withQuestion(body)
  }

  /// Who is at `place`; `nil` if nobody is.
  public func address(at place: Int) -> DeviceAddress? {
    place >= 0 && place < places ? seats[place].address : nil
  }

  // MARK: For the host

  /// A central comes.
  public mutating func centralConnected(at place: Int, address: DeviceAddress) {
    seats[place].address = address
    connectedPlaces |= bit(of: place)
    events.append(.connected(place: place, address: address))
  }

  /// A central goes, and all that was its own is forgotten.
  public mutating func centralDisconnected(at place: Int, reason: HCIErrorCode) {
    let address = seats[place].address ?? .zero
    seats[place].leave()
    let others = ~bit(of: place)
    connectedPlaces &= others
    askedPlaces &= others
    listeningPlaces &= others
    owedPlaces &= others
    events.append(.disconnected(place: place, address: address, reason: reason))
  }

  /// A central begins to listen, or ends.
  @inline(__always)
  public mutating func configurationChanged(
    of attribute: ApplicationAttribute, at place: Int, to configuration: ClientConfiguration
  ) {
    guard attribute == .answer else { return }
    let isListening = configuration.contains(.notification)
    guard isListening != (listeningPlaces & bit(of: place) != 0) else { return }
    listeningPlaces ^= bit(of: place)
    events.append(.subscribed(place: place, isListening))
  }

  /// The last answer given to this central; empty before the first.
  public mutating func read(
    _ attribute: ApplicationAttribute, at place: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    guard attribute == .answer else { throw .error(.readNotPermitted) }
    seats[place].answer?.write(style, to: &value)
  }

  /// A question, which is answered or refused.
  public mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at place: Int
  ) throws(GATTRefusal) {
    guard attribute == .question else { throw .error(.writeNotPermitted) }
    if let refusal = QuestionRule.refusal(of: value) {
      events.append(.refused(place: place, refusal))
      throw .error(refusal.code)
    }
    guard seats[place].question.assign(value) else { throw .error(.invalidAttributeValueLength) }
    seats[place].answer = Answer.random(from: &random)
    askedPlaces |= bit(of: place)
    owedPlaces |= bit(of: place)
    events.append(.asked(place: place))
  }

  /// The places with an answer that is still to be notified.
  public var pendingConnections: ConnectionSet {
    ConnectionSet(rawValue: owedPlaces & listeningPlaces)
  }

  /// The answer, if it is owed to a central that listens.
  public func pendingUpdate(at place: Int) -> ApplicationAttribute? {
    owedPlaces & listeningPlaces & bit(of: place) != 0 ? .answer : nil
  }

  /// The answer, in the chosen style. It is no longer owed.
  @inline(__always)
  public mutating func writeUpdate(
    of attribute: ApplicationAttribute, at place: Int, into value: inout ByteWriter
  ) {
    guard let answer = seats[place].answer else { return }
    owedPlaces &= ~bit(of: place)
    answer.write(style, to: &value)
    events.append(.answered(place: place, answer))
  }

  /// For the lights, and for whoever watches.
  public mutating func radioChanged(to state: RadioState) {
    radio = state
    events.append(.radio(state))
  }

  /// The set of `place` alone; empty if there is no such place.
  private func bit(of place: Int) -> UInt {
    place >= 0 && place < places ? 1 &<< UInt(bitPattern: place) : 0
  }
}

/// What the ball keeps of one central.
private struct Seat: ~Copyable {
  /// Who it is; `nil` while the place is free.
  var address: DeviceAddress?
  /// Its last question; empty if there is none.
  var question = ByteBuffer<512>()
  /// The answer to it, which a read gives too.
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
