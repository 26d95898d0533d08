import BluetoothHost
import EightBall

/// `text` without anything that a terminal obeys or that turns the line around: what comes from
/// the air is only ever shown.
func printable(_ text: String) -> String {
  var shown = ""
  for scalar in text.unicodeScalars { shown.unicodeScalars.append(printable(scalar)) }
  return shown
}

/// `scalar`, or the replacement character if a terminal would obey it.
func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
  switch scalar.properties.generalCategory {
  case .control, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
  case .format where scalar != "\u{200D}": "\u{FFFD}"
  default: scalar
  }
}

extension DeviceAddress {
  /// `public` or `random`.
  var kindText: String { kind == .random ? "random" : "public" }
}

extension BluetoothUUID {
  /// As people write it: `180A`, or `8E38140A-27BE-4090-8955-4FC4B5698D1E`.
  var text: String {
    if let short { return hexadecimal(short) }
    let digits = hexadecimal(high) + hexadecimal(low)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text += "-" }
      text.append(digit)
    }
    return text
  }
}

extension Answer {
  /// The answer that this text is: the text itself, unless it is a slug.
  static func wording(of received: String) -> String {
    let prefix = "SLUG-ANSWER-"
    guard received.hasPrefix(prefix), received.utf8.count == prefix.utf8.count + 2,
      let number = UInt8(received.dropFirst(prefix.count)), let answer = Answer(rawValue: number)
    else { return received }
    return answer.wording
  }

  /// In English.
  var wording: String {
    var buffer = [UInt8](repeating: 0, count: 64)
    var writer = ByteWriter(buffer.mutableSpan)
    text.writePrefix(to: &writer)
    let count = writer.count
    return String(decoding: buffer.prefix(count), as: UTF8.self)
  }
}

/// A signal strength, with a minus sign as printers set it: `−50 dBm`.
func strength(_ rssi: Int8) -> String {
  (rssi < 0 ? "\u{2212}" : "") + "\(rssi.magnitude) dBm"
}

/// A number in all its hexadecimal digits.
func hexadecimal<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> String {
  let digits = String(number, radix: 16, uppercase: true)
  return String(repeating: "0", count: Number.bitWidth / 4 - digits.utf8.count) + digits
}

/// `text` with a full stop, unless it ends as a sentence does.
func sentence(_ text: String) -> String {
  text.hasSuffix(".") || text.hasSuffix("?") ? text : text + "."
}
