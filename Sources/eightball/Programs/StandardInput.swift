import BluetoothHost
import Glibc

/// Lines of standard input. Only one thread reads them.
enum StandardInput {
  /// The next line in bytes, without its line feed; `nil` at the end.
  ///
  /// The bytes come one at a time, so that the next line stays for another reader. Of a line that is
  /// longer than any question, only the beginning is returned.
  static func line() -> [UInt8]? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return line.isEmpty ? nil : line }
      if byte == UInt8(ascii: "\n") { return line }
      if line.count <= maximumAttributeValueLength { line.append(byte) }
    }
  }
}
