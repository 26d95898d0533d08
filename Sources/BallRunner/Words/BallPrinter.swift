import BluetoothHost
import EightBall

/// Words what happens to a ball: for people, or in JSON for programs.
///
/// Lines wait in bounded storage until `flush`, which never waits for a reader.
struct BallPrinter<let capacity: Int>: ~Copyable {
  private let name: DeviceName
  private let format: LineFormat

  private var output = LineQueue<capacity>()
  private var errors = LineQueue<512>()
  /// Whether the oldest line is an error.
  private var errorsAreOlder = false
  /// Whether nothing reads the output any more.
  private(set) var isClosed = false

  /// What stands for the trouble that was last printed; `nil` while the radio works.
  private var radioTrouble: UInt32?
  /// The same for the lines of the board.
  private var linesTrouble: UInt32?
  /// Whether the reader knows that the ball advertises. A controller stops at each connection, and is
  /// started again as long as there are places: that is no news.
  private var isKnownToAdvertise = false
  private var connections = 0

  init(name: DeviceName, format: LineFormat) {
    self.name = name
    self.format = format
  }

  #if WORDS_FOR_PEOPLE_ONLY
    /// A machine with little program memory has no words for programs.
    private var isJSON: Bool { false }
  #else
    private var isJSON: Bool { format == .json }
  #endif

  // MARK: Printing

  /// Whether lines wait.
  var hasLines: Bool { !output.isEmpty || !errors.isEmpty }

  /// Prints what is taken now.
  mutating func flush<Port: OutputPort & ~Copyable>(to port: inout Port) {
    guard hasLines else { return }
    let older: OutputStream = errorsAreOlder ? .errors : .output
    flush(older, to: &port)
    flush(older == .output ? .errors : .output, to: &port)
    errorsAreOlder = !errors.isEmpty
  }

  @inline(never)
  private mutating func flush<Port: OutputPort & ~Copyable>(
    _ stream: OutputStream, to port: inout Port
  ) {
    while true {
      let length = pending(on: stream).count
      guard length > 0 else { return }
      let printed = port.print(pending(on: stream), to: stream)
      switch printed {
      case .taken(let count):
        remove(count, from: stream)
        guard count == length else { return }
        appendLoss(to: stream)
      case .closed:
        if stream == .output { isClosed = true }
        remove(length, from: stream)
      }
    }
  }

  /// The lines that wait for the reader of `stream`.
  @_lifetime(borrow self)
  private func pending(on stream: OutputStream) -> Span<UInt8> {
    stream == .output ? output.pending : errors.pending
  }

  private mutating func remove(_ count: Int, from stream: OutputStream) {
    if stream == .output { output.remove(count) } else { errors.remove(count) }
  }

  /// Adds how many lines were left out of `stream`, if any.
  private mutating func appendLoss(to stream: OutputStream) {
    let isJSON = self.isJSON
    switch stream {
    case .output: output.appendLoss { isJSON ? $0.writeJSONLoss($1) : $0.writeLoss($1) }
    case .errors: errors.appendLoss { $0.writeLoss($1) }
    }
  }

  @inline(__always)
  private mutating func print(_ compose: (inout ByteWriter) -> Void) {
    guard format != .none else { return }
    output.append(mayBeCut: !isJSON, compose)
  }

  private mutating func complain(_ compose: (inout ByteWriter) -> Void) {
    if output.isEmpty { errorsAreOlder = true }
    errors.append(compose)
  }

  /// Prints a line that is ready.
  mutating func print(line: Span<UInt8>, to stream: OutputStream) {
    switch stream {
    case .output: print { $0.write(line) }
    case .errors: complain { $0.write(line) }
    }
  }

  // MARK: What happened

  /// Whether there is a line for `event`. Only such events count against the limit of lines.
  func prints(_ event: BallEvent) -> Bool {
    switch event {
    case .radio: true
    case .subscribed: format == .json
    default: format != .none
    }
  }

  /// Something has happened to the ball.
  ///
  /// - Parameters:
  ///   - own: The address that the ball goes by.
  ///   - central: The central that the event concerns.
  ///   - question: The text, when one was asked.
  mutating func tell(
    _ event: BallEvent, own: DeviceAddress, central: DeviceAddress?, question: Span<UInt8>
  ) {
    if case .radio(let state) = event { return tell(state, own) }
    let isJSON = self.isJSON
    print {
      if isJSON {
        $0.writeJSON(event, of: central, question)
      } else {
        $0.writeWords(event, question)
      }
    }
    if case .connected = event, !isJSON, !isKnownToAdvertise {
      print(text: "All places are taken; not advertising.")
    }
  }

  /// Lines of one central, or of several if `central` is `nil`, were left out.
  mutating func tellOmission(of count: Int, at place: Int, of central: DeviceAddress?) {
    let isJSON = self.isJSON
    print {
      if isJSON {
        $0.writeJSONOmission(of: count, at: place, of: central)
      } else {
        $0.writeOmission(of: count, of: central)
      }
    }
  }

  /// A button was pressed, and the ball has done what it is for.
  mutating func tell(_ action: PanelAction) {
    let isJSON = self.isJSON
    print {
      guard isJSON else { return $0.write(text: action.sentence) }
      $0.beginJSON("button")
      $0.add("action", plain: action.word)
      $0.endJSON()
    }
  }

  /// Something has happened to the protection of links.
  mutating func tell(_ news: PairingNews, of central: DeviceAddress?) {
    let isJSON = self.isJSON
    print {
      if isJSON {
        Self.writeJSON(news, of: central, to: &$0)
      } else {
        Self.writeWords(news, of: central, to: &$0)
      }
    }
  }

  /// The bonds cannot be kept, for this reason.
  mutating func tellBondsLost(_ reason: Span<UInt8>) {
    if isJSON { return tellState("bonds", "lost", reason) }
    complain {
      $0.write(text: "Bonds: forgotten when the ball ends; ")
      $0.write(sentence: reason)
    }
  }

  /// The bonds are kept.
  mutating func tellBondsKept() {
    if isJSON { return tellState("bonds", "ready", Span()) }
    print(text: "Bonds: kept again.")
  }

  // MARK: The radio

  private mutating func tell(_ state: RadioState, _ own: DeviceAddress) {
    switch state {
    case .starting: return
    case .silent: tellRadioReady()
    case .fault(let fault):
      isKnownToAdvertise = false
      if fault == .lost { return }
      var text = ByteBuffer<96>()
      text.write { fault.write(to: &$0) }
      tellRadioLost(text.span)
    case .advertising:
      let isKnown = isKnownToAdvertise
      isKnownToAdvertise = true
      if !isKnown {
        tellRadioReady()
        tellAdvertising(own)
      }
    }
  }

  private mutating func tellAdvertising(_ own: DeviceAddress) {
    let name = self.name
    let isJSON = self.isJSON
    print {
      if isJSON {
        $0.writeJSONAdvertising(name, own)
      } else {
        $0.writeAdvertising(name, own)
      }
    }
  }

  /// The radio was lost, for this reason.
  mutating func tellRadioLost(_ reason: Span<UInt8>) {
    // The same trouble at each attempt is no news.
    let trouble = Self.mark(of: reason)
    guard radioTrouble != trouble else { return }
    radioTrouble = trouble
    if isJSON { return tellState("radio", "lost", reason) }
    complain {
      $0.write(text: "Radio: lost; ")
      $0.write(sentence: reason)
      $0.write(text: " Trying again…")
    }
  }

  private mutating func tellRadioReady() {
    guard radioTrouble != nil else { return }
    radioTrouble = nil
    if isJSON { return tellState("radio", "ready", Span()) }
    print(text: "Radio: ready again.")
  }

  /// The ball ends, for it cannot run: for this reason, which has `kind` for programs.
  mutating func tellFailure(_ reason: Span<UInt8>, kind: StaticString) {
    let isJSON = self.isJSON
    if isJSON {
      print { $0.writeFailure(reason, kind: kind, isJSON: true) }
    } else {
      complain { $0.writeFailure(reason, kind: kind, isJSON: false) }
    }
  }

  // MARK: The board

  /// The lines of the board cannot be used, for this reason.
  mutating func tellLinesLost(_ reason: Span<UInt8>) {
    let trouble = Self.mark(of: reason)
    guard linesTrouble != trouble else { return }
    linesTrouble = trouble
    if isJSON { return tellState("board", "lost", reason) }
    complain {
      $0.write(text: "Buttons and lights: none for now; ")
      $0.write(sentence: reason)
    }
  }

  /// The lines of the board can be used.
  mutating func tellLinesReady() {
    guard linesTrouble != nil else { return }
    linesTrouble = nil
    if isJSON { return tellState("board", "ready", Span()) }
    print(text: "Buttons and lights: ready.")
  }

  // MARK: Centrals

  /// Keeps count of what has happened, whether or not there is a line for it.
  ///
  /// - Parameter places: How many centrals the ball serves at once.
  mutating func count(_ event: BallEvent, places: Int) {
    switch event {
    case .connected:
      connections &+= 1
      if connections == places { isKnownToAdvertise = false }
    case .disconnected:
      connections &-= 1
    default: break
    }
  }

  // MARK: Support

  @inline(never)
  private mutating func print(text: StaticString) {
    print { $0.write(text: text) }
  }

  @inline(never)
  private mutating func tellState(
    _ event: StaticString, _ state: StaticString, _ detail: Span<UInt8>
  ) {
    print {
      $0.beginJSON(event)
      $0.add("state", plain: state)
      if !detail.isEmpty { $0.add("detail", utf8: detail) }
      $0.endJSON()
    }
  }

  /// A number that stands for a text: FNV-1a (Fowler, Noll and Vo), 32 bits.
  private static func mark(of text: Span<UInt8>) -> UInt32 {
    var mark: UInt32 = 0x811C_9DC5
    for index in text.indices { mark = (mark ^ UInt32(text[index])) &* 0x0100_0193 }
    return mark
  }
}
