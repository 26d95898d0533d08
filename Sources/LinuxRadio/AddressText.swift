import BluetoothHost

extension DeviceAddress {
  /// As people write it: `F0:00:00:00:00:01`.
  public var text: String {
    let bytes = bytes
    return bytes.indices.reversed().map { index in
      let digits = String(bytes[index], radix: 16, uppercase: true)
      return digits.utf8.count < 2 ? "0\(digits)" : digits
    }.joined(separator: ":")
  }
}
