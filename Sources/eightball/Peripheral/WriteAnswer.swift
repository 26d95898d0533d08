/// What follows a write to a characteristic.
struct WriteAnswer: Sendable {
  /// How long the response waits, in milliseconds; 0 for not at all.
  var delay: UInt32 = 0
  /// The code of an Error Response; `nil` if the write succeeds. The rest happens only if it succeeds.
  var error: UInt8?
  /// Whether the value becomes that of the characteristic.
  var sets = false
  /// The labels of the characteristics that get the value, and notify it.
  var echoes: [String] = []
  /// The labels of the characteristics that notify the value that they have.
  var notifies: [String] = []

  /// The written value becomes the value.
  static let usual = WriteAnswer(sets: true)
}

extension WriteAnswer {
  /// Reads `delay 200 ms, set, notify heart.rate`.
  ///
  /// - Parameter own: The label of the characteristic.
  /// - Throws: What was expected.
  init(_ text: Substring, of own: String) throws(Expected) {
    for part in try list(text, once: ["set", "error", "delay"]) {
      let parts = words(part)
      let label = parts.count == 2 ? String(parts[1]) : own
      switch firstWord(part) {
      case "set" where parts.count == 1: sets = true
      case "echo" where parts.count <= 2: echoes.append(label)
      case "notify" where parts.count <= 2: notifies.append(label)
      case "error" where parts.count == 2: error = try errorCode(parts[1])
      case "delay": delay = try milliseconds(trimmed(part.dropFirst(5)))
      default:
        throw Expected(
          "set, echo, echo LABEL, notify LABEL, error CODE or delay TIME, with commas between "
            + "several")
      }
    }
  }

  /// Its text in a file.
  func fileText(of own: String) -> String {
    var parts: [String] = []
    if delay > 0 { parts.append("delay " + timeText(delay)) }
    if let error { parts.append("error " + byteText(error)) }
    if sets { parts.append("set") }
    for label in echoes { parts.append(label == own ? "echo" : "echo " + label) }
    for label in notifies { parts.append(label == own ? "notify" : "notify " + label) }
    return parts.joined(separator: ", ")
  }
}

/// Faults of a peripheral, or of one characteristic, on request.
struct PeripheralFaults: Sendable {
  /// After how many requests of a central its link ends; `nil` for never. Only a peripheral has it.
  var drop: UInt32?
  /// After how many milliseconds the peripheral falls silent for ever; `nil` for never. Only a peripheral has it.
  var vanish: UInt32?
  /// How many milliseconds each response waits; 0 for none.
  var delay: UInt32 = 0
  /// The code with which each read and write is refused; `nil` if they are not.
  var refusal: UInt8?
  /// Whether values lack their last byte.
  var isShort = false
}

extension PeripheralFaults {
  /// Reads `slow 300 ms, drop after 5 requests`.
  ///
  /// - Throws: What was expected.
  init(_ text: Substring, ofPeripheral isPeripheral: Bool) throws(Expected) {
    for part in try list(text, once: ["slow", "refuse", "wrong-length", "drop", "vanish"]) {
      let parts = words(part)
      switch firstWord(part) {
      case "slow": delay = try milliseconds(trimmed(part.dropFirst(4)))
      case "refuse" where parts.count == 1: refusal = 0x0E
      case "refuse" where parts.count == 2: refusal = try errorCode(parts[1])
      case "wrong-length" where parts.count == 1: isShort = true
      case "drop" where isPeripheral:
        guard parts.count == 4, parts[1] == "after", parts[3].hasPrefix("request"),
          let count = number(parts[2], upTo: 1_000_000), count > 0
        else { throw Expected("drop after N requests, such as drop after 10 requests") }
        drop = UInt32(count)
      case "vanish" where isPeripheral && parts.count > 2 && parts[1] == "after":
        vanish = try milliseconds(trimmed(trimmed(part.dropFirst(6)).dropFirst(5)))
      default:
        throw Expected(
          "slow TIME, refuse, refuse CODE or wrong-length"
            + (isPeripheral ? ", drop after N requests or vanish after TIME" : "")
            + ", with commas between several")
      }
    }
  }

  /// Its text in a file; empty without faults.
  var fileText: String {
    var parts: [String] = []
    if delay > 0 { parts.append("slow " + timeText(delay)) }
    if let refusal { parts.append("refuse " + byteText(refusal)) }
    if isShort { parts.append("wrong-length") }
    if let drop { parts.append("drop after \(drop) request\(drop == 1 ? "" : "s")") }
    if let vanish { parts.append("vanish after " + timeText(vanish)) }
    return parts.joined(separator: ", ")
  }
}

/// Reads the code of an Error Response.
private func errorCode(_ text: Substring) throws(Expected) -> UInt8 {
  guard let code = number(text, upTo: 0xFF), code > 0 else {
    throw Expected("the code of an error from 0x01 to 0xFF, such as 0x80")
  }
  return UInt8(code)
}
