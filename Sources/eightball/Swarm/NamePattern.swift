import BluetoothHost

/// The names of the balls of a swarm: a text in which `%d` stands for the number of the ball.
public struct NamePattern: Equatable, Sendable {
  /// The text before and after the number; equal names have no number.
  private var before = ""
  private var after = ""
  private var hasNumber = false
  /// The least number of digits, filled with zeros.
  private var digits = 0

  /// `Ball %d`.
  public static let usual = NamePattern(prefix: "Ball ")

  /// The same name for all.
  init(same name: String) { before = name }

  private init(prefix: String) {
    before = prefix
    hasNumber = true
  }

  /// Reads a pattern: text with at most one `%d`, or `%03d` for a number of three digits; `%%` is a percent sign.
  ///
  /// - Throws: What is wrong with it.
  public init(_ text: String) throws(NamePatternError) {
    var rest = text[...]
    while let sign = rest.firstIndex(of: "%") {
      add(rest[..<sign])
      rest = rest[rest.index(after: sign)...]
      if rest.first == "%" {
        add("%")
        rest = rest.dropFirst()
      } else {
        try readNumber(&rest, of: text)
      }
    }
    add(rest)
  }

  /// Whether all balls have the same name.
  public var isSame: Bool { !hasNumber }

  /// The name of the ball with this number.
  public func name(of number: Int) -> String {
    guard hasNumber else { return before }
    let text = String(number)
    return before + String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text + after
  }

  /// Checks the names of the balls 1 to `count`: an advertisement holds 1 to 29 bytes.
  ///
  /// - Throws: The first name with another length.
  public func validate(count: Int) throws(NamePatternError) {
    // The number grows with the ball: the first name is the shortest and the last the longest.
    for number in [1, count] {
      let name = name(of: number)
      guard (1...DeviceName.capacity).contains(name.utf8.count) else {
        throw .length(name: name, ball: number)
      }
    }
  }

  private mutating func add(_ text: Substring) {
    if hasNumber { after += text } else { before += text }
  }

  /// Reads what follows a percent sign.
  private mutating func readNumber(
    _ rest: inout Substring, of text: String
  ) throws(NamePatternError) {
    let width = rest.prefix { $0.isASCII && $0.isNumber }
    rest = rest.dropFirst(width.count)
    guard rest.first == "d", width.isEmpty || width.count == 2 && width.first == "0",
      let digits = UInt8(width.isEmpty ? "0" : width)
    else { throw .percentSign(text) }
    guard !hasNumber else { throw .secondNumber(text) }
    rest = rest.dropFirst()
    hasNumber = true
    self.digits = Int(digits)
  }
}

/// What is wrong with a pattern of names.
public enum NamePatternError: Error, Equatable, CustomStringConvertible {
  /// A percent sign is neither `%d` nor `%%`.
  case percentSign(String)
  /// It has more than one number.
  case secondNumber(String)
  /// A name is too short or too long for an advertisement.
  case length(name: String, ball: Int)

  /// The error in words, and what to do.
  public var description: String {
    switch self {
    case .percentSign(let text):
      "“\(text)” has a percent sign that stands for no number: write %d for the number of the ball, %03d for "
        + "three digits, or %% for a percent sign"
    case .secondNumber(let text):
      "“\(text)” has more than one number: write %d once, and %% for a percent sign"
    case .length(let name, let ball):
      name.isEmpty
        ? "A ball must have a name: give --name 1 to \(DeviceName.capacity) bytes"
        : "The name of ball \(ball), “\(name)”, is \(name.utf8.count) bytes long in UTF-8; an advertisement holds at "
          + "most \(DeviceName.capacity). Shorten --name"
    }
  }
}
