import Foundation

/// What Apple's framework logs where a program uses it wrongly, in its words.
enum Misuse {
  static func log(_ message: String) {
    Log.logger.error("API MISUSE: \(message)")
  }

  /// With the object that was misused, as Apple names it.
  static func log(_ object: NSObject, _ message: String) {
    log("\(object.printed("")) \(message)")
  }
}
