import BluetoothHost

/// The Magic 8-Ball: takes questions, and answers each with one of twenty answers.
///
/// A question is text in UTF-8 whose last byte is `?`. The write response goes out first; then
/// the answer is notified to the central that asked, if it listens, or else when it begins to.
/// Each central has its own question and its own answer.
public struct Ball<let places: Int>: GATTApplication, ~Copyable {
  private var seats: InlineArray<places, Seat>
  private var random: RandomSource
  private var events = EventQueue()
  private var radio = RadioState.starting
  private let style: AnswerStyle

  /// A ball that has not been asked anything.
  ///
  /// - Parameters:
  ///   - seed: decides all its answers.
  ///   - style: how it words them.
  public init(seed: UInt64, style: AnswerStyle = .text) {
    seats = InlineArray { _ in Seat() }
    random = RandomSource(seed: seed)
    self.style = style
  }

  // MARK: For whoever holds the ball

  /// The ball is shaken: a new answer to the last question of each central that has asked and
  /// listens.
  public mutating func shake() {
    for place in 0..<places where seats[place].isListening && !seats[place].question.isEmpty {
      seats[place].give(Answer.random(from: &random))
    }
  }

  /// Every question and answer is forgotten, also those on their way.
  public mutating func clear() {
    for place in 0..<places { seats[place].clear() }
  }

  /// What its lights are to show.
  public var lights: BallLights {
    var isConnected = false
    var isAnswering = false
    for place in 0..<places {
      if seats[place].address != nil { isConnected = true }
      if pendingUpdate(at: place) != nil { isAnswering = true }
    }
    let status: BallLights.Status =
      switch radio {
      case .fault: .fault
      case .starting: .starting
      case .advertising: isConnected ? .connected : .advertising
      case .silent: isConnected ? .connected : .off
      }
    return BallLights(status: status, isAnswering: isAnswering)
  }

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
    events.append(.connected(place: place, address: address))
  }

  /// A central goes, and all that was its own is forgotten.
  public mutating func centralDisconnected(at place: Int, reason: HCIErrorCode) {
    let address = seats[place].address ?? .zero
    seats[place].leave()
    events.append(.disconnected(place: place, address: address, reason: reason))
  }

  /// A central begins to listen, or ends.
  public mutating func configurationChanged(
    of attribute: ApplicationAttribute, at place: Int, to configuration: ClientConfiguration
  ) {
    guard attribute == .answer else { return }
    let isListening = configuration.contains(.notification)
    guard isListening != seats[place].isListening else { return }
    seats[place].isListening = isListening
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
    seats[place].give(Answer.random(from: &random))
    events.append(.asked(place: place))
  }

  /// The answer, if it is owed to a central that listens.
  public func pendingUpdate(at place: Int) -> ApplicationAttribute? {
    seats[place].isOwed && seats[place].isListening ? .answer : nil
  }

  /// The answer, in the chosen style. It is no longer owed.
  public mutating func writeUpdate(
    of attribute: ApplicationAttribute, at place: Int, into value: inout ByteWriter
  ) {
    guard let answer = seats[place].answer else { return }
    seats[place].isOwed = false
    answer.write(style, to: &value)
    events.append(.answered(place: place, answer))
  }

  /// For the lights, and for whoever watches.
  public mutating func radioChanged(to state: RadioState) {
    radio = state
    events.append(.radio(state))
  }
}

/// What the ball keeps of one central.
private struct Seat: ~Copyable {
  /// Who it is; `nil` while the place is free.
  var address: DeviceAddress?
  /// Its last question; empty if there is none.
  var question = ByteBuffer<512>()
  /// The answer to it, which a read gives too.
  private(set) var answer: Answer?
  /// Whether the answer is still to be notified.
  var isOwed = false
  /// Whether it listens for answers.
  var isListening = false

  init() {}

  mutating func withQuestion(_ body: (Span<UInt8>) -> Void) {
    body(question.span)
  }

  mutating func give(_ answer: Answer) {
    self.answer = answer
    isOwed = true
  }

  mutating func clear() {
    question.removeAll()
    answer = nil
    isOwed = false
  }

  mutating func leave() {
    clear()
    address = nil
    isListening = false
  }
}
