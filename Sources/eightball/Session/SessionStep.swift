import BluetoothHost

/// What a central or a peripheral did in a session.
struct SessionStep: Sendable {
  /// What was done.
  enum Action: String, CaseIterable, Sendable {
    case connect, disconnect, subscribe, read, write, notify, indicate
    case writeCommand = "write-command"
    /// The peripheral ends the link.
    case drop

    /// Whether the central did it on a link.
    var isCentrals: Bool {
      switch self {
      case .subscribe, .read, .write, .writeCommand: true
      default: false
      }
    }
    /// Whether it concerns a value.
    var hasLabel: Bool { isCentrals || self == .notify || self == .indicate }
    /// Whether updates of the peripheral follow it, and not what came before it.
    var isCause: Bool { isCentrals && self != .read || self == .connect }
  }

  /// When, in milliseconds from the start of the session.
  var time: UInt32
  var action: Action
  /// The label of the value, as `heart.rate`; empty for the whole link.
  var label = ""
  /// The bytes that were read, written, notified or indicated. The low byte of a Client Characteristic Configuration for
  /// a subscription.
  var value: [UInt8] = []
  /// The code of the Error Response to a read or write; `nil` if it succeeded.
  var error: UInt8?
  /// How long the response took, in milliseconds.
  var wait: UInt32 = 0
}

extension SessionStep {
  private static let subscriptions: [String] = ["off", "notify", "indicate", "notify indicate"]

  /// What was done, without the time and the response: `write heart.control hex 01`.
  var text: String {
    var text = action.rawValue
    if action.hasLabel { text += " " + label }
    switch action {
    case .subscribe: return text + " " + Self.subscriptions[Int(value.first ?? 0) & 3]
    case .write, .writeCommand, .notify, .indicate: return text + " " + Self.text(of: value)
    default: return text
    }
  }

  private static func text(of value: [UInt8]) -> String {
    value.isEmpty ? "empty" : ValueField(readable: value).fileText
  }

  /// Its text in a file: `at 0.250 s: write heart.control hex 01, answer error 0x80, after 30 ms`.
  var fileText: String {
    let fraction = "\(1_000 + time % 1_000)".dropFirst()
    var text = "at \(time / 1_000).\(fraction) s: " + self.text
    if let error {
      text += ", answer error " + byteText(error)
    } else if action == .read {
      text += ", answer " + Self.text(of: value)
    }
    if wait > 0 { text += ", after " + timeText(wait) }
    return text
  }

  /// Reads the text of a file.
  ///
  /// - Throws: What was expected.
  init(_ text: Substring) throws(Expected) {
    guard let colon = text.firstIndex(of: ":"), text.hasPrefix("at ") else {
      throw Expected(
        "a time and what was done, such as at 0.250 s: read heart.place, answer hex 01")
    }
    let amount = text[..<colon].dropFirst(3)
    guard amount.hasSuffix("s"), let number = DecimalNumber(trimmed(amount.dropLast())),
      let count = number.count(of: -3), let time = UInt32(exactly: count)
    else { throw Expected("a time in seconds before the colon, such as at 0.250 s") }
    let parts = list(text[text.index(after: colon)...])
    var words = words(parts[0])
    guard let word = words.first, let action = Action(rawValue: String(word)) else {
      throw Expected(
        "one of \(Action.allCases.map(\.rawValue).joined(separator: ", ")) after the time")
    }
    words.removeFirst()
    guard !action.hasLabel || !words.isEmpty else {
      throw Expected("the label of a value after \(word), such as heart.rate")
    }
    self.init(time: time, action: action)
    var rest = trimmed(parts[0].dropFirst(word.utf8.count))
    if action.hasLabel {
      label = String(words.removeFirst())
      rest = trimmed(rest.dropFirst(label.utf8.count))
    }
    switch action {
    case .subscribe:
      guard let bits = Self.subscriptions.firstIndex(of: words.joined(separator: " ")) else {
        throw Expected("notify, indicate or off after the label")
      }
      value = [UInt8(bits)]
    case .write, .writeCommand, .notify, .indicate: value = try Self.value(rest)
    default:
      guard rest.isEmpty else { throw Expected("nothing but a comma after \(self.text)") }
    }
    for part in parts.dropFirst() { try take(part) }
  }

  private static func value(_ text: Substring) throws(Expected) -> [UInt8] {
    text == "empty" ? [] : try ValueField(text).bytes
  }

  /// Takes a part after a comma: the response, or how long it took.
  private mutating func take(_ part: Substring) throws(Expected) {
    if part.hasPrefix("after ") {
      wait = try milliseconds(trimmed(part.dropFirst(6)))
    } else if part.hasPrefix("answer error "), action == .read || action == .write {
      guard let code = number(trimmed(part.dropFirst(13)), upTo: 0xFF), code > 0 else {
        throw Expected("the code of an error from 0x01 to 0xFF, such as 0x80")
      }
      error = UInt8(code)
    } else if part.hasPrefix("answer "), action == .read {
      value = try Self.value(trimmed(part.dropFirst(7)))
    } else {
      throw Expected("answer VALUE, answer error CODE or after TIME after a comma")
    }
  }
}
