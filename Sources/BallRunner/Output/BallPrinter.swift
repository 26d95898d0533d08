import BluetoothHost
import EightBall

/// Prints what happens to a ball: in words for people, or in JSON for programs. Lines wait in
/// bounded storage until `flush`, which never waits for a reader.
struct BallPrinter<let capacity: Int, let watchedCapacity: Int>: ~Copyable {
  let name: DeviceName
  private let format: LineFormat

  private var output = LineQueue<capacity>()
  #if !WORDS_FOR_PEOPLE_ONLY
    /// Lines for the programs that listen at the control socket.
    private var watched = LineQueue<watchedCapacity>()
    /// Whether there are such programs.
    var isWatched = false
  #endif
  private var errors = LineQueue<512>()
  /// Whether the oldest line is an error.
  private var errorsAreOlder = false

  /// The hash of the last printed error; `nil` while the radio works.
  private var radioErrorMark: UInt32?
  /// The same for the lines of the board.
  private var linesErrorMark: UInt32?
  /// Whether advertising was reported. A controller stops at each connection and is restarted while
  /// there is room for more: that is not reported again.
  private var isKnownToAdvertise = false
  private var connections = 0

  init(name: DeviceName, format: LineFormat) {
    self.name = name
    self.format = format
  }

  #if WORDS_FOR_PEOPLE_ONLY
    // A machine with little program memory has no texts for programs.
    private var isJSON: Bool { false }
    private var isWatched: Bool { false }
  #else
    private var isJSON: Bool { format == .json }
    // The first is a constant: a ball without listeners has no code for them.
    private var hasWatchers: Bool { watchedCapacity > 0 && isWatched }
  #endif

  // MARK: Printing

  /// Whether lines wait.
  var hasLines: Bool { !output.isEmpty || !errors.isEmpty }

  /// How many lost lines were not reported to the reader.
  var lostLines: Int { output.lostLines &+ errors.lostLines }

  /// Prints as much as the port takes now.
  mutating func flush<Port: OutputPort & ~Copyable>(to port: inout Port) {
    let older: OutputStream = errorsAreOlder ? .errors : .output
    flush(older, to: &port)
    flush(older == .output ? .errors : .output, to: &port)
    errorsAreOlder = !errors.isEmpty
  }

  @inline(never) private mutating func flush<Port: OutputPort & ~Copyable>(
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
      // The ball goes on without a reader, and its lines are lost.
      case .closed: remove(length, from: stream)
      }
    }
  }

  /// The lines that wait for the reader of `stream`.
  @_lifetime(borrow self) private func pending(on stream: OutputStream) -> Span<UInt8> {
    stream == .output ? output.pending : errors.pending
  }

  @inline(never) private mutating func remove(_ count: Int, from stream: OutputStream) {
    if stream == .output { output.remove(count) } else { errors.remove(count) }
  }

  /// Adds a line with the number of lines that `stream` lost, if any.
  private mutating func appendLoss(to stream: OutputStream) {
    let isJSON = self.isJSON
    switch stream {
    case .output: output.appendLoss { isJSON ? $0.writeJSONLoss($1) : $0.writeLoss($1) }
    case .errors: errors.appendLoss { $0.writeLoss($1) }
    }
  }

  /// Prints a line for people, if the format is for people.
  @inline(__always) private mutating func printWords(
    _ line: BallLine, of central: DeviceAddress? = nil, _ text: Span<UInt8> = Span()
  ) { if format == .words { appendWords(line, of: central, text) } }

  /// Prints an object for programs, at the output and at the control socket.
  @inline(__always) private mutating func printJSON(
    _ line: BallLine, of central: DeviceAddress? = nil, _ text: Span<UInt8> = Span()
  ) {
    #if !WORDS_FOR_PEOPLE_ONLY
      if isJSON || hasWatchers { appendJSON(line, of: central, text) }
    #endif
  }

  // Takes the event itself: a copy into a `BallLine` costs too many instructions on a small
  // machine.
  @inline(never) private mutating func appendWords(_ event: BallEvent, _ question: Span<UInt8>) {
    output.append { $0.writeWords(event, question) }
  }

  @inline(never) private mutating func appendWords(
    _ line: BallLine, of central: DeviceAddress?, _ text: Span<UInt8>
  ) { output.append { $0.writeWords(line, of: central, text) } }

  #if !WORDS_FOR_PEOPLE_ONLY
    @inline(never) private mutating func appendJSON(
      _ line: BallLine, of central: DeviceAddress?, _ text: Span<UInt8>
    ) {
      if isJSON { Self.append(line, of: central, text, to: &output) }
      if hasWatchers { Self.append(line, of: central, text, to: &watched) }
    }

    @inline(never) private static func append<let room: Int>(
      _ line: BallLine, of central: DeviceAddress?, _ text: Span<UInt8>,
      to queue: inout LineQueue<room>
    ) { queue.append(mayBeCut: false) { $0.writeJSON(line, of: central, text) } }

    /// Adds an object for the listeners.
    mutating func watch(_ compose: (inout ByteWriter) -> Void) {
      watched.append(mayBeCut: false, compose)
    }

    /// Adds an object for the listeners.
    mutating func watch(
      _ line: BallLine, of central: DeviceAddress? = nil, _ text: Span<UInt8> = Span()
    ) { Self.append(line, of: central, text, to: &watched) }

    /// Sends the waiting objects to one listener, or to all if `listener` is `nil`.
    @inline(never) mutating func sendWatched<Port: ControlPort & ~Copyable>(
      to port: inout Port, _ listener: Int?
    ) {
      while !watched.isEmpty {
        let count = watched.pending.count
        port.send(watched.pending, to: listener)
        watched.remove(count)
        watched.appendLoss { $0.writeJSONLoss($1) }
      }
    }
  #endif

  private mutating func complain(_ compose: (inout ByteWriter) -> Void) {
    if output.isEmpty { errorsAreOlder = true }
    errors.append(compose)
  }

  /// Prints a finished line.
  mutating func print(line: Span<UInt8>, to stream: OutputStream) {
    switch stream {
    case .output:
      guard format != .none else { return }
      output.append(mayBeCut: !isJSON) { $0.write(line) }
    case .errors: complain { $0.write(line) }
    }
  }

  // MARK: Events

  /// Whether there is a line for `event`. Only such events count against the limit of lines.
  func prints(_ event: BallEvent) -> Bool {
    switch event {
    case .radio: true
    case .subscribed: isJSON || isWatched
    default: format != .none || isWatched
    }
  }

  /// Prints an event of the ball.
  ///
  /// - Parameters:
  ///   - own: The address of the ball.
  ///   - central: The central of the event.
  ///   - question: The text of a question.
  mutating func report(
    _ event: BallEvent, own: DeviceAddress, central: DeviceAddress?, question: Span<UInt8>
  ) {
    if case .radio(let state) = event { return report(state, own) }
    printJSON(.event(event), of: central, question)
    if case .subscribed = event { return }
    if format == .words { appendWords(event, question) }
    if case .connected = event, !isKnownToAdvertise {
      print(text: "All connections are in use; not advertising.")
    }
  }

  /// Prints how many lines of one central, or of several if `central` is `nil`, were left out.
  mutating func reportOmission(of count: Int, at connectionIndex: Int, of central: DeviceAddress?) {
    printJSON(.omission(count, connectionIndex: connectionIndex), of: central)
    printWords(.omission(count, connectionIndex: connectionIndex), of: central)
  }

  /// Prints that a button was pressed, after the ball has acted.
  ///
  /// - Parameter listeners: How many centrals get a new answer after a shake.
  mutating func report(_ action: FrontPanelAction, listeners: Int) {
    printJSON(.button(action, listeners: listeners))
    printWords(.button(action, listeners: listeners))
  }

  /// Prints an event of the protection of links.
  mutating func report(_ event: PairingEvent, of central: DeviceAddress?) {
    if format == .words { output.append { Self.writeWords(event, of: central, to: &$0) } }
    #if !WORDS_FOR_PEOPLE_ONLY
      if isJSON { Self.append(event, of: central, to: &output) }
      if hasWatchers { Self.append(event, of: central, to: &watched) }
    #endif
  }

  #if !WORDS_FOR_PEOPLE_ONLY
    @inline(never) private static func append<let room: Int>(
      _ event: PairingEvent, of central: DeviceAddress?, to queue: inout LineQueue<room>
    ) { queue.append(mayBeCut: false) { Self.writeJSON(event, of: central, to: &$0) } }
  #endif

  /// Prints why the bonds cannot be kept.
  mutating func reportBondsLost(_ reason: Span<UInt8>) {
    reportLost("bonds", "Bonds: forgotten when the ball ends; ", reason)
  }

  /// Prints that the bonds are kept again.
  mutating func reportBondsKept() { reportReady("bonds", "Bonds: kept again.") }

  // MARK: The radio

  private mutating func report(_ state: RadioState, _ own: DeviceAddress) {
    switch state {
    case .starting: return
    case .silent: reportRadioReady()
    case .fault(let fault):
      isKnownToAdvertise = false
      if fault == .lost { return }
      var text = ByteBuffer<96>()
      text.write { fault.write(to: &$0) }
      reportRadioLost(text.span)
    case .advertising:
      let isKnown = isKnownToAdvertise
      isKnownToAdvertise = true
      if !isKnown {
        reportRadioReady()
        reportAdvertising(own)
      }
    }
  }

  private mutating func reportAdvertising(_ own: DeviceAddress) {
    let name = self.name
    printJSON(.advertising(own), name.span)
    printWords(.advertising(own), name.span)
  }

  /// Whether the loss of the radio was reported.
  var isRadioLost: Bool { radioErrorMark != nil }

  /// Prints why the radio was lost.
  mutating func reportRadioLost(_ reason: Span<UInt8>) {
    // The same error is printed once, not at each try.
    let mark = Self.mark(of: reason)
    guard radioErrorMark != mark else { return }
    radioErrorMark = mark
    reportLost("radio", "Radio: lost; ", reason, " Trying again…")
  }

  private mutating func reportRadioReady() {
    guard radioErrorMark != nil else { return }
    radioErrorMark = nil
    reportReady("radio", "Radio: ready again.")
  }

  /// Prints why the ball cannot run; `kind` names the reason for programs.
  mutating func reportError(_ reason: Span<UInt8>, kind: StaticString) {
    printJSON(.error(kind), reason)
    if !isJSON { complain { $0.writeErrorLine(reason, kind: kind, isJSON: false) } }
  }

  // MARK: The board

  /// Prints why the lines of the board cannot be used.
  mutating func reportLinesLost(_ reason: Span<UInt8>) {
    let mark = Self.mark(of: reason)
    guard linesErrorMark != mark else { return }
    linesErrorMark = mark
    reportLost("board", "Buttons and lights: none for now; ", reason)
  }

  /// Prints that the lines of the board can be used.
  mutating func reportLinesReady() {
    guard linesErrorMark != nil else { return }
    linesErrorMark = nil
    reportReady("board", "Buttons and lights: ready.")
  }

  /// Prints that a part of the board works again, or why it cannot be used.
  mutating func report(_ part: BoardPart, isLost: Bool, _ reason: Span<UInt8>) {
    let isMotion = part == .motion
    if isLost {
      reportLost(
        part.name, isMotion ? "Motion sensor: none for now; " : "Display: none for now; ", reason)
    } else {
      reportReady(part.name, isMotion ? "Motion sensor: ready." : "Display: ready.")
    }
  }

  // MARK: Centrals

  /// Keeps count of events, with or without a line.
  ///
  /// - Parameter maximum: How many centrals the ball serves at once.
  mutating func count(_ event: BallEvent, maximum: Int) {
    switch event {
    case .connected:
      connections &+= 1
      if connections == maximum { isKnownToAdvertise = false }
    case .disconnected: connections &-= 1
    default: break
    }
  }

  // MARK: Support

  private mutating func print(text: StaticString) { printWords(.text(text)) }

  /// Prints why something cannot be used. People read the reason between two texts.
  @inline(never) private mutating func reportLost(
    _ event: StaticString, _ start: StaticString, _ reason: Span<UInt8>, _ end: StaticString = ""
  ) {
    printJSON(.state(event, "lost"), reason)
    if isJSON { return }
    complain {
      $0.write(text: start)
      $0.write(sentence: reason)
      $0.write(text: end)
    }
  }

  /// Prints that it can be used again.
  @inline(never) private mutating func reportReady(_ event: StaticString, _ words: StaticString) {
    printJSON(.state(event, "ready"))
    print(text: words)
  }

  /// A hash of a text: FNV-1a (Fowler, Noll and Vo), 32 bits.
  private static func mark(of text: Span<UInt8>) -> UInt32 {
    var mark: UInt32 = 0x811C_9DC5
    for index in text.indices { mark = (mark ^ UInt32(text[index])) &* 0x0100_0193 }
    return mark
  }
}
