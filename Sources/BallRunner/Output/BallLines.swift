import BluetoothHost
import EightBall

// The texts of the lines, without line ends. They are outside the generic printer, so that a
// program contains them once.

/// What a line says. Its central, and a text of any length, are separate parameters.
enum BallLine {
  /// For programs: an event of the ball. The text is the question.
  case event(BallEvent)
  /// The ball advertises with this address, and with the name in the text.
  case advertising(DeviceAddress)
  /// This number of lines of the central, or of several, were left out.
  case omission(Int, connectionIndex: Int)
  /// A button has been pressed. After a shake, so many centrals get a new answer.
  case button(FrontPanelAction, listeners: Int)
  /// For people: a fixed text.
  case text(StaticString)
  /// For programs: a part has this state; the text says why, unless it is empty.
  case state(StaticString, StaticString)
  /// For programs: the ball ends for a reason of this kind; the text says why.
  case error(StaticString)
  #if !WORDS_FOR_PEOPLE_ONLY
    /// For programs: the state of the lights.
    case lights(ShownLights)
    /// For programs: the end of the ball's present state.
    case current
    /// For programs: the request in the text was done, or was refused for this reason.
    case reply(ControlRequestError?)
  #endif
}

extension ByteWriter {
  /// Writes a line for people.
  @_lifetime(self: copy self) @inline(never) mutating func writeWords(
    _ line: BallLine, of central: DeviceAddress?, _ text: Span<UInt8>
  ) {
    switch line {
    case .advertising(let own): writeAdvertising(text, own)
    case .omission(let count, _): writeOmission(of: count, of: central)
    case .button(let action, let listeners): writeWords(action, listeners)
    case .text(let text): write(text: text)
    default: break
    }
  }

  #if !WORDS_FOR_PEOPLE_ONLY
    /// Writes a line for programs.
    @_lifetime(self: copy self) @inline(never) mutating func writeJSON(
      _ line: BallLine, of central: DeviceAddress?, _ text: Span<UInt8>
    ) {
      switch line {
      case .event(let event): return writeJSON(event, of: central, text)
      case .error(let kind): return writeErrorLine(text, kind: kind, isJSON: true)
      case .advertising(let own):
        beginJSON("advertising")
        add("name", utf8: text)
        add("address", own)
      case .omission(let count, let connectionIndex):
        beginJSON("omitted", central)
        add("connection", connectionIndex)
        add("count", count)
      case .button(let action, let listeners):
        beginJSON("button")
        add("action", plain: action.word)
        if action == .shake { add("centrals", listeners) }
      case .text: return
      case .state(let event, let state):
        beginJSON(event)
        add("state", plain: state)
        if !text.isEmpty { add("detail", utf8: text) }
      case .lights(let lights):
        beginJSON("lights")
        if let status = lights.status { add("status", status) }
        if let answer = lights.answer { add("answer", answer) }
      case .current: beginJSON("current")
      case .reply(let error):
        beginJSON(error == nil ? "done" : "error")
        add("request", utf8: text)
        if let error {
          beginText("detail")
          error.write(to: &self)
          endText()
        }
      }
      endJSON()
    }
  #endif
}

/// The lines for people.
extension ByteWriter {
  /// Writes what a button did.
  @_lifetime(self: copy self) @inline(never) mutating func writeWords(
    _ action: FrontPanelAction, _ listeners: Int
  ) {
    write(text: action.sentence)
    guard action == .shake else { return }
    guard listeners > 0 else { return write(text: ": no central that has asked is subscribed.") }
    write(text: ": ")
    write(decimal: listeners)
    write(text: listeners == 1 ? " central gets" : " centrals get")
    write(text: " a new answer.")
  }

  /// Writes the line of an event; nothing for a radio or subscription event.
  @_lifetime(self: copy self) @inline(never) mutating func writeWords(
    _ event: BallEvent, _ question: Span<UInt8>
  ) {
    switch event {
    case .asked:
      write(text: "Question: ")
      return write(printable: question)
    case .answered(_, let answer):
      write(text: "Answer: ")
      return answer.text.writePrefix(to: &self)
    case .connected(_, let address):
      write(text: "Connected: ")
      write(address)
    case .disconnected(_, let address, let reason):
      write(text: "Disconnected: ")
      write(address)
      write(text: ", ")
      reason.writeEnding(to: &self)
    case .refused(_, let error):
      write(text: "Refused: ")
      write(text: error.words)
    case .missed(let count):
      write(text: "(")
      write(decimal: count)
      return write(text: " events were missed.)")
    case .radio, .subscribed: return
    }
    write(UInt8(ascii: "."))
  }

  /// Writes that `count` lines of one central, or of several if `central` is `nil`, were left out.
  @_lifetime(self: copy self) @inline(never) mutating func writeOmission(
    of count: Int, of central: DeviceAddress?
  ) {
    write(text: "(")
    write(decimal: count)
    write(text: count == 1 ? " line of " : " lines of ")
    if let central { write(central) } else { write(text: "several centrals") }
    write(text: count == 1 ? " was left out.)" : " were left out.)")
  }

  /// Writes that the ball advertises.
  @_lifetime(self: copy self) @inline(never) mutating func writeAdvertising(
    _ name: Span<UInt8>, _ own: DeviceAddress
  ) {
    write(text: "Advertising as “")
    write(printable: name)
    write(text: "” (")
    write(own)
    write(text: ").")
  }
}

/// The lines for programs.
extension ByteWriter {
  /// Writes the object of an event; nothing for a radio event.
  @_lifetime(self: copy self) @inline(never) mutating func writeJSON(
    _ event: BallEvent, of central: DeviceAddress?, _ question: Span<UInt8>
  ) {
    switch event {
    case .connected(let connectionIndex, let address):
      beginJSON("connected", address)
      add("connection", connectionIndex)
    case .disconnected(let connectionIndex, let address, let reason):
      beginJSON("disconnected", address)
      add("connection", connectionIndex)
      beginText("reason")
      reason.writeEnding(to: &self)
      endText()
      add("code", Int(reason.rawValue))
    case .subscribed(let connectionIndex, let isOn):
      beginJSON("subscribed", central)
      add("connection", connectionIndex)
      add("on", isOn)
    case .asked:
      beginJSON("question", central)
      add("text", utf8: question)
    case .refused(_, let error):
      beginJSON("refused", central)
      add("reason", plain: error.words)
    case .answered(_, let answer):
      beginJSON("answer", central)
      beginText("text")
      answer.text.writePrefix(to: &self)
      endText()
    case .missed(let count):
      beginJSON("missed")
      add("count", count)
    case .radio: return
    }
    endJSON()
  }

  /// Writes that `count` lines were lost because they were not read.
  @_lifetime(self: copy self) @inline(never) mutating func writeJSONLoss(_ count: Int) {
    beginJSON("unread")
    add("count", count)
    endJSON()
  }

  @_lifetime(self: copy self) @inline(never) mutating func beginJSON(
    _ event: StaticString, _ central: DeviceAddress?
  ) {
    beginJSON(event)
    if let central { add("central", central) }
  }
}
