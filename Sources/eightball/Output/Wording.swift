#if Tools
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

/// A signal strength, with a minus sign as printers set it: `−50 dBm`.
func strength(_ rssi: Int) -> String {
  (rssi < 0 ? "\u{2212}" : "") + "\(rssi.magnitude) dBm"
}

/// `text` with a full stop, unless it ends as a sentence does.
func sentence(_ text: String) -> String {
  text.hasSuffix(".") || text.hasSuffix("?") ? text : text + "."
}
#endif
