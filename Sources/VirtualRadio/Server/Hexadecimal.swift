import BluetoothHost

extension DeviceAddress {
  /// As people write it: `F0:00:00:00:00:01`.
  public var text: String {
    let bytes = bytes
    return bytes.indices.reversed().map { hexadecimal(bytes[$0]) }.joined(separator: ":")
  }
}

/// A number in all its hexadecimal digits: two for a byte.
package func hexadecimal<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> String {
  let digits = String(number, radix: 16, uppercase: true)
  return String(repeating: "0", count: Number.bitWidth / 4 - digits.utf8.count) + digits
}
