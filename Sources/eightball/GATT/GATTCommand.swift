import BluetoothHost

/// A command of `eightball gatt`.
enum GATTCommand: Equatable {
  case discover
  case read(AttributeReference)
  case write(AttributeReference, [UInt8])
  /// Writes without a response.
  case writeCommand(AttributeReference, [UInt8])
  case subscribe(AttributeReference, SubscriptionEnd)
  case unsubscribe(AttributeReference)
  /// Opens a channel, or uses the open one; sends the SDU if there is one.
  case channel(SPSM, [UInt8]?, SubscriptionEnd)
  case mtu
  case pair
  case rssi
  /// Uses one connection event in so many, and so many more after data.
  case subrate(Int, continuation: Int)
  case disconnect
  case help
  /// Reads all values that can be read, for a clone.
  case readAll
  /// Reads those that were refused, over the protected link.
  case readProtected
  /// Reads all values that can be read, and prints them.
  case readValues

  /// When the values of a subscription, or the SDUs of a channel, are to end; `nil` for another
  /// command.
  var end: SubscriptionEnd? {
    switch self {
    case .subscribe(_, let end), .channel(_, _, let end): end
    default: nil
    }
  }

  /// When a subscription or a channel ends: after so many values, or after so many milliseconds.
  /// Without either it lasts as long as the link, and the next command follows at once.
  struct SubscriptionEnd: Equatable {
    var count: Int?
    var time: UInt32?
    /// Whether the next command waits for it.
    var isLimited: Bool { count != nil || time != nil }
  }

  /// The names of the commands, in the order of the help.
  static let names = [
    "discover", "read", "read-all", "write", "write-command", "subscribe", "unsubscribe", "channel",
    "mtu", "pair", "rssi", "subrate", "disconnect",
  ]

  /// Reads a command.
  ///
  /// - Throws: What is wrong with it.
  init(_ line: String) throws(UsageError) {
    let text = trimmed(line[...])
    let name = text.prefix { $0 != " " && $0 != "\t" }
    let rest = trimmed(text.dropFirst(name.count))
    switch name {
    case "read": self = .read(try Self.attribute(rest, of: name))
    case "write", "write-command":
      let target = rest.prefix { $0 != " " && $0 != "\t" }
      let attribute = try Self.attribute(target, of: name)
      let value = try Self.value(trimmed(rest.dropFirst(target.count)))
      self = name == "write" ? .write(attribute, value) : .writeCommand(attribute, value)
    case "subscribe":
      let parts = words(rest)
      self = .subscribe(
        try Self.attribute(parts.first ?? "", of: name), try Self.end(parts.dropFirst(), of: name))
    case "unsubscribe": self = .unsubscribe(try Self.attribute(rest, of: name))
    case "channel": self = try Self.channel(rest)
    case "subrate":
      let numbers = words(rest).map { number($0, upTo: 500) }
      guard (1...2).contains(numbers.count), let factor = numbers[0], factor > 0,
        let continuation = numbers.count == 2 ? numbers[1] : 0, continuation < factor
      else {
        throw UsageError(
          "subrate takes a factor from 1 to 500, and how many events follow one with data, which is "
            + "less: subrate 10 2.")
      }
      self = .subrate(factor, continuation: continuation)
    case "discover", "read-all", "mtu", "pair", "rssi", "disconnect", "help":
      guard rest.isEmpty else {
        throw UsageError(
          "\(name) takes nothing after it: “\(printable(String(rest)))” is too much.")
      }
      switch name {
      case "discover": self = .discover
      case "read-all": self = .readValues
      case "mtu": self = .mtu
      case "pair": self = .pair
      case "rssi": self = .rssi
      case "disconnect": self = .disconnect
      default: self = .help
      }
    default:
      let shown = printable(String(name))
      let hint = nearestName(to: String(name), among: Self.names)
        .map { " Did you mean \($0)?" }
      throw UsageError(
        "There is no command “\(shown)”.\(hint ?? "") The commands are "
          + "\(Self.names.joined(separator: ", ")).")
    }
  }

  /// Reads the commands of a command line, which a `,` separates.
  static func commands(_ arguments: [String]) throws(UsageError) -> [GATTCommand] {
    var commands: [GATTCommand] = []
    for words in arguments.split(separator: ",", omittingEmptySubsequences: false) {
      // The name of an attribute may have blanks in an argument of its own.
      let line = words.enumerated().map { index, word in
        index == 1 ? String(word.map { $0 == " " ? "-" : $0 }) : word
      }
      guard !words.isEmpty else {
        throw UsageError("A command is missing beside a comma, which separates commands.")
      }
      if commands.last == .disconnect {
        throw UsageError("disconnect ends the program: give it last.")
      }
      commands.append(try GATTCommand(line.joined(separator: " ")))
    }
    return commands
  }

  private static func attribute(
    _ text: Substring, of command: Substring
  ) throws(UsageError) -> AttributeReference {
    guard !text.isEmpty else {
      throw UsageError("\(command) needs an attribute, such as \(command) 2A19.")
    }
    guard let attribute = AttributeReference(text) else {
      throw UsageError(
        "“\(printable(String(text)))” is not an attribute: give a UUID such as 2A19, a known name "
          + "such as battery-level, or a handle such as 0x0012.")
    }
    return attribute
  }

  /// Reads a value as in a peripheral's file; text may do without quotes.
  private static func value(_ text: Substring) throws(UsageError) -> [UInt8] {
    var bytes: [UInt8]
    if text.hasPrefix("text "), !trimmed(text.dropFirst(5)).hasPrefix("\"") {
      bytes = Array(trimmed(text.dropFirst(5)).utf8)
    } else {
      do throws(Expected) {
        bytes = try ValueField.fields(text).flatMap(\.bytes)
      } catch {
        throw UsageError("The value “\(printable(String(text)))” is wrong: expected \(error.text).")
      }
    }
    guard bytes.count <= maximumAttributeValueLength else {
      throw UsageError(
        "The value has \(bytes.count) bytes; an attribute holds at most "
          + "\(maximumAttributeValueLength).")
    }
    return bytes
  }

  /// Reads `0x0080`, then an end of `end`, then a value.
  private static func channel(_ text: Substring) throws(UsageError) -> GATTCommand {
    var rest = text
    func nextWord() -> Substring { rest.prefix { $0 != " " && $0 != "\t" } }
    let name = nextWord()
    guard let psm = number(name, upTo: 0xFF).flatMap({ SPSM(UInt16($0)) }) else {
      throw UsageError(
        "“\(printable(String(name)))” is not a PSM: channel needs a number from 0x0001 to 0x00FF, such "
          + "as channel 0x0080.")
    }
    rest = trimmed(rest.dropFirst(name.count))
    var parts: [Substring] = []
    while let first = rest.utf8.first {
      let word = nextWord()
      // Each other word begins a value.
      guard (0x30...0x39).contains(first) || word == "for" || word == "s" || word == "ms" else {
        break
      }
      parts.append(word)
      rest = trimmed(rest.dropFirst(word.count))
    }
    let end = try end(parts[...], of: "channel")
    return .channel(psm, rest.isEmpty ? nil : try value(rest), end)
  }

  /// Reads `3`, `for 5 s`, or both.
  private static func end(
    _ parts: ArraySlice<Substring>, of command: Substring
  ) throws(UsageError) -> SubscriptionEnd {
    var end = SubscriptionEnd()
    var parts = parts
    if let count = parts.first.flatMap({ number($0, upTo: 1_000_000) }), count > 0 {
      end.count = Int(count)
      parts = parts.dropFirst()
    }
    guard !parts.isEmpty else { return end }
    guard parts.first == "for",
      let time = TimeOption(parts.dropFirst().joined(), upTo: TimeOption.hour)
    else {
      throw UsageError(
        "\(command) takes how many values to wait for, and how long: \(command) "
          + (command == "channel" ? "0x0080" : "2A37") + " 3 for 10s.")
    }
    end.time = time.milliseconds
    return end
  }
}
