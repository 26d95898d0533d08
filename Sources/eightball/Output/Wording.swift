import BluetoothHost
import VirtualRadio

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

/// A signal strength, with a minus sign as printers set it: `−50 dBm`.
func strength(_ rssi: Int) -> String {
  (rssi < 0 ? "\u{2212}" : "") + "\(rssi.magnitude) dBm"
}

/// `text` with a full stop, unless it ends as a sentence does.
func sentence(_ text: String) -> String {
  text.hasSuffix(".") || text.hasSuffix("?") ? text : text + "."
}
