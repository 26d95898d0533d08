import BluetoothHost
import EightBall

/// How a number of a value changes as time passes.
struct Timeline: Sendable {
  /// The numbers, one after another.
  enum Course: Sendable {
    /// The value stays, and is notified again.
    case constant
    /// These numbers, again and again.
    case list([DecimalNumber])
    /// From the first number to the second in steps of the third, again and again.
    case ramp(DecimalNumber, DecimalNumber, by: DecimalNumber)
    /// A random walk between two numbers: each time one step down, one step up, or none.
    case walk(DecimalNumber, DecimalNumber, by: DecimalNumber)
    /// A column of a file of comma-separated values, by its number or its name in the first line, again and again.
    case csv(file: String, column: String)
  }

  /// The time between two numbers, in milliseconds.
  var period: UInt32
  /// Which field of the value changes, from 1.
  var field: Int
  var course: Course
}

extension Timeline {
  /// Reads `1 s: ramp 60 to 100 by 1`, for a value of these fields. Without `field 2`, it is the last number's.
  ///
  /// - Throws: What was expected.
  init(_ text: Substring, of value: [ValueField]) throws(Expected) {
    guard let colon = text.firstIndex(of: ":") else {
      throw Expected("a time, a colon and numbers, such as 1 s: ramp 60 to 100 by 1")
    }
    period = try milliseconds(trimmed(text[..<colon]))
    var rest = trimmed(text[text.index(after: colon)...])
    var parts = words(rest)
    var field = value.lastIndex { $0.isNumber }.map { $0 + 1 }
    if parts.first == "field" {
      field = parts.count > 1 ? digits(parts[1], upTo: 512) : nil
      guard let field, value.indices.contains(field - 1), value[field - 1].isNumber else {
        throw Expected("field and the place of a number in the value above, from 1")
      }
      parts.removeFirst(2)
      rest = trimmed(rest.dropFirst(5))
      rest = trimmed(rest.dropFirst(words(rest).first?.utf8.count ?? 0))
    }
    self.field = field ?? 0
    course = try Course(parts, rest)
    guard !course.isConstant else { return }
    guard let field, case .number(let first, let format) = value[field - 1] else {
      throw Expected("a value with a number in a line above, such as uint8 60")
    }
    for number in course.numbers where format.encode(number) == nil {
      throw Expected("\(format.expected), not \(number.text): the value has \(format.name)")
    }
    if let excess = format.excess(among: course.stepped(from: first)) {
      throw Expected(
        "\(format.expected), not each multiple of \(excess.unit.text) up to \(excess.greatest.text): "
          + "the value has \(format.name)")
    }
  }

  /// Its text in a file.
  func fileText(of value: [ValueField]) -> String {
    let usual = value.lastIndex { $0.isNumber }.map { $0 + 1 }
    let place = course.isConstant || field == usual ? "" : "field \(field) "
    return timeText(period) + ": " + place + course.fileText
  }
}

extension Timeline.Course {
  /// Reads the course, whose words are `parts`.
  init(_ parts: [Substring], _ text: Substring) throws(Expected) {
    let rest = trimmed(text.dropFirst(parts.first?.utf8.count ?? 0))
    switch firstWord(text) {
    case "constant" where parts.count == 1: self = .constant
    case "list":
      var numbers: [DecimalNumber] = []
      for text in eightball.list(rest) {
        guard let number = DecimalNumber(text) else {
          throw Expected("numbers between commas, such as list 60, 62, 61")
        }
        numbers.append(number)
      }
      self = .list(numbers)
    case "ramp", "walk":
      let form = Expected("\(parts[0]) FROM to TO by STEP, such as \(parts[0]) 60 to 100 by 1")
      guard parts.count == 6, parts[2] == "to", parts[4] == "by" else { throw form }
      var numbers: [DecimalNumber] = []
      for text in [parts[1], parts[3], parts[5]] {
        guard let number = DecimalNumber(text) else {
          throw Expected("\(DecimalNumber.expected), not \(text)")
        }
        numbers.append(number)
      }
      let unit = DecimalNumber(1, exponent: numbers.map(\.exponent).min() ?? 0)
      for number in numbers where Self.places([number, unit]) == nil {
        throw Expected("a number below \(Self.limit) times \(unit.text), not \(number.text)")
      }
      let (start, end, step) = (numbers[0], numbers[1], numbers[2])
      guard let places = Self.places(numbers), places.0[2] > 0, places.0[0] <= places.0[1] else {
        throw form
      }
      self = parts[0] == "ramp" ? .ramp(start, end, by: step) : .walk(start, end, by: step)
    case "csv":
      let isQuoted = rest.hasPrefix("\"")
      guard let end = isQuoted ? rest.lastIndex(of: "\"") : rest.lastIndex(of: " "),
        end > rest.startIndex
      else { throw Expected("csv FILE COLUMN, such as csv beats.csv rate") }
      let name = isQuoted ? rest[...end] : rest[..<end]
      let column = trimmed(rest[rest.index(after: end)...])
      guard !column.isEmpty else { throw Expected("csv FILE COLUMN, such as csv beats.csv 2") }
      self = .csv(
        file: isQuoted ? try unquoted(name) : String(trimmed(name)), column: String(column))
    default:
      throw Expected("constant, list, ramp, walk or csv after the colon")
    }
  }

  /// Its text in a file.
  var fileText: String {
    switch self {
    case .constant: "constant"
    case .list(let numbers): "list " + numbers.map(\.text).joined(separator: ", ")
    case .ramp(let start, let end, let step):
      "ramp \(start.text) to \(end.text) by \(step.text)"
    case .walk(let start, let end, let step):
      "walk \(start.text) to \(end.text) by \(step.text)"
    case .csv(let file, let column): "csv \(quoted(file)) \(column)"
    }
  }

  /// Whether the value stays.
  var isConstant: Bool { if case .constant = self { true } else { false } }

  /// The numbers that it names. Those between them are multiples of the step.
  var numbers: [DecimalNumber] {
    switch self {
    case .constant, .csv: []
    case .list(let numbers): numbers
    case .ramp(let start, let end, let step), .walk(let start, let end, let step):
      // A step may have more decimals than both ends.
      start == end ? [start] : [start, end, Self.sum(start, step)]
    }
  }

  /// Numbers whose last decimal place is that of all numbers between its ends; none without steps.
  ///
  /// - Parameter first: The value at the start, from which a random walk goes on.
  func stepped(from first: DecimalNumber) -> [DecimalNumber] {
    switch self {
    case .constant, .list, .csv: []
    case .ramp(let start, let end, let step): [start, end, step]
    case .walk(let low, let high, let step): [low, high, step, first]
    }
  }

  /// The counts of `places` are below it, so that sums of two do not overflow.
  private static let limit = 1 << 60

  /// The numbers as whole counts of one power of ten, and its exponent; `nil` if they are too large for that.
  static func places(_ numbers: [DecimalNumber]) -> ([Int], exponent: Int)? {
    let exponent = numbers.map(\.exponent).min() ?? 0
    var counts: [Int] = []
    for number in numbers {
      guard let count = number.count(of: exponent), count.magnitude < limit else { return nil }
      counts.append(count)
    }
    return (counts, exponent)
  }

  private static func sum(_ left: DecimalNumber, _ right: DecimalNumber) -> DecimalNumber {
    guard let (counts, exponent) = places([left, right]) else { return left }
    return DecimalNumber(counts[0] + counts[1], exponent: exponent)
  }
}

/// A timeline as it runs: the time of its next number, and what it needs to find that.
struct RunningTimeline {
  /// The handle of the value.
  let handle: UInt16
  let timeline: Timeline
  /// The numbers of a CSV file.
  let column: [DecimalNumber]
  /// When the next number is due.
  private(set) var due: Instant
  private var round = 0
  private var source: RandomSource

  /// - Parameters:
  ///   - start: The first number is due one period later.
  ///   - seed: The seed of the random walk.
  init(
    _ timeline: Timeline, at handle: UInt16, column: [DecimalNumber], from start: Instant,
    seed: UInt64
  ) {
    self.handle = handle
    self.timeline = timeline
    self.column = column
    due = start.advanced(by: timeline.period)
    source = RandomSource(seed: seed &+ UInt64(widening: UInt32(handle)))
  }

  /// Goes on to the next number, and changes the field of the value. Later numbers are due at multiples of the period,
  /// however late this call is.
  mutating func advance(_ value: inout [ValueField]) {
    due = due.advanced(by: timeline.period)
    let index = timeline.field - 1
    guard value.indices.contains(index), case .number(let current, let format) = value[index],
      let number = next(after: current)
    else { return }
    value[index] = .number(number, format)
  }

  private mutating func next(after current: DecimalNumber) -> DecimalNumber? {
    defer { round &+= 1 }
    switch timeline.course {
    case .constant: return nil
    case .list(let numbers): return numbers.isEmpty ? nil : numbers[round % numbers.count]
    case .csv: return column.isEmpty ? nil : column[round % column.count]
    case .ramp(let start, let end, let step):
      guard let (counts, exponent) = Timeline.Course.places([start, end, step]) else { return nil }
      let steps = (counts[1] - counts[0]) / counts[2] + 1
      return DecimalNumber(counts[0] + round % steps * counts[2], exponent: exponent)
    case .walk(let low, let high, let step):
      guard let (counts, exponent) = Timeline.Course.places([low, high, step, current]) else {
        return nil
      }
      let change = Int(source.next(below: 3)) - 1
      let next = min(max(counts[3] + change * counts[2], counts[0]), counts[1])
      return DecimalNumber(next, exponent: exponent)
    }
  }
}
