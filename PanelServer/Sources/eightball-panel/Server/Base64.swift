/// Base64 with padding: RFC 4648, 4.
func base64(_ bytes: [UInt8]) -> String {
  encoded(bytes, by: Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
    + String(repeating: "=", count: (3 - bytes.count % 3) % 3)
}

/// Base64 for addresses, without padding: RFC 4648, 5.
func base64ForAddresses(_ bytes: [UInt8]) -> String {
  encoded(bytes, by: Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"))
}

private func encoded(_ bytes: [UInt8], by alphabet: [Character]) -> String {
  var text = ""
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    // 8, 16 or 24 bits are 2, 3 or 4 digits.
    for digit in 0...group.count { text.append(alphabet[bits >> (18 - 6 * digit) & 63]) }
  }
  return text
}
