import Foundation

/// What Apple's framework logs where a program uses it wrongly, in its words.
enum Misuse {
  static func log(_ message: String) {
    Log.logger.error("API MISUSE: \(message)")
  }

  /// With the object that was misused, as Apple names it.
  static func log(_ object: NSObject, _ message: String) {
    let address = UInt(bitPattern: ObjectIdentifier(object))
    log("<\(type(of: object)): 0x\(String(address, radix: 16))> \(message)")
  }
}
