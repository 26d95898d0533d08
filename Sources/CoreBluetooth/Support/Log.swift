import Foundation
import Logging

/// The log of what delegates cannot report.
enum Log { static let logger = Logger(label: "CoreBluetooth") }

/// Logs wrong uses of the API in the words of Apple's framework.
enum Misuse {
  static func log(_ message: String) { Log.logger.error("API MISUSE: \(message)") }

  /// With the object that was misused, as Apple names it.
  static func log(_ object: NSObject, _ message: String) { log("\(object.printed("")) \(message)") }
}

// Objects are printed as Apple's framework prints them.

extension NSObject {
  /// The type and the address, and then `fields`.
  func printed(_ fields: String) -> String {
    let address = UInt(bitPattern: ObjectIdentifier(self))
    return "<\(type(of: self)): 0x\(String(address, radix: 16))\(fields)>"
  }
}

/// A value, or `(null)`.
func printedValue(_ value: Any?) -> String {
  switch value {
  case let data as Data: printed(data)
  case let list as [Any]:
    list.isEmpty ? "(\n)" : "(\n    \(list.map { "\($0)" }.joined(separator: ",\n    "))\n)"
  case let value?: "\(value)"
  case nil: "(null)"
  }
}

/// The number of bytes, and the bytes in hexadecimal digits: the first and the last eight if there
/// are more than 24.
private func printed(_ data: Data) -> String {
  let digits = data.map { byte in
    let text = String(byte, radix: 16)
    return text.count == 1 ? "0" + text : text
  }
  let bytes =
    digits.count <= 24
    ? digits.joined() : digits.prefix(8).joined() + " ... " + digits.suffix(8).joined()
  return "{length = \(data.count), bytes = 0x\(bytes)}"
}

extension NSError {
  /// An error as Apple's systems print it: its domain, its code, `sentence` and its user
  /// information.
  func summary(_ sentence: String?) -> String {
    let more = userInfo.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(
      separator: ", ")
    return "Error Domain=\(domain) Code=\(code) \"\(sentence ?? "(null)")\""
      + (more.isEmpty ? "" : " UserInfo={\(more)}")
  }
}
