import BluetoothHost
import EightBall

// The lines of what happens, without their ends. They are no part of the generic printer, so that a program
// has them once.

/// The lines for people.
extension ByteWriter {
  /// Writes the line of an event; nothing for one of the radio, or of a subscription.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func writeWords(_ event: BallEvent, _ question: Span<UInt8>) {
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
    case .refused(_, let refusal):
      write(text: "Refused: ")
      write(text: refusal.words)
    case .missed(let count):
      write(text: "(")
      write(decimal: count)
      return write(text: " events were missed.)")
    case .radio, .subscribed: return
    }
    write(UInt8(ascii: "."))
  }

  /// Writes that so many lines of one central, or of several if `central` is `nil`, were left out.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func writeOmission(of count: Int, of central: DeviceAddress?) {
    write(text: "(")
    write(decimal: count)
    write(text: count == 1 ? " line of " : " lines of ")
    if let central { write(central) } else { write(text: "several centrals") }
    write(text: count == 1 ? " was left out.)" : " were left out.)")
  }

  /// Writes that the ball advertises.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func writeAdvertising(_ name: DeviceName, _ own: DeviceAddress) {
    write(text: "Advertising as “")
    write(printable: name.span)
    write(text: "” (")
    write(own)
    write(text: ").")
  }
}

/// The lines for programs.
extension ByteWriter {
  /// Writes the object of an event; nothing for one of the radio.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func writeJSON(
    _ event: BallEvent, of central: DeviceAddress?, _ question: Span<UInt8>
  ) {
    switch event {
    case .connected(let place, let address):
      beginJSON("connected", address)
      add("place", place)
    case .disconnected(let place, let address, let reason):
      beginJSON("disconnected", address)
      add("place", place)
      beginText("reason")
      reason.writeEnding(to: &self)
      write(UInt8(ascii: "\""))
      add("code", Int(reason.rawValue))
    case .subscribed(let place, let isOn):
      beginJSON("subscribed", central)
      add("place", place)
      add("on", isOn)
    case .asked:
      beginJSON("question", central)
      add("text", utf8: question)
    case .refused(_, let refusal):
      beginJSON("refused", central)
      add("reason", plain: refusal.words)
    case .answered(_, let answer):
      beginJSON("answer", central)
      beginText("text")
      answer.text.writePrefix(to: &self)
      write(UInt8(ascii: "\""))
    case .missed(let count):
      beginJSON("missed")
      add("count", count)
    case .radio: return
    }
    endJSON()
  }

  /// Writes that so many lines of one central, or of several if `central` is `nil`, were left out.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func writeJSONOmission(of count: Int, at place: Int, of central: DeviceAddress?) {
    beginJSON("omitted", central)
    add("place", place)
    add("count", count)
    endJSON()
  }

  /// Writes that so many lines were lost, because they were not read.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func writeJSONLoss(_ count: Int) {
    beginJSON("unread")
    add("count", count)
    endJSON()
  }

  /// Writes that the ball advertises.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func writeJSONAdvertising(_ name: DeviceName, _ own: DeviceAddress) {
    beginJSON("advertising")
    add("name", utf8: name.span)
    add("address", own)
    endJSON()
  }

  @_lifetime(self: copy self)
  private mutating func beginJSON(_ event: StaticString, _ central: DeviceAddress?) {
    beginJSON(event)
    if let central { add("central", central) }
  }
}
