import Foundation

/// Logs wrong uses of the API in the words of Apple's framework.
enum Misuse {
  static func log(_ message: String) {
    Log.logger.error("API MISUSE: \(message)")
  }

  /// With the object that was misused, as Apple names it.
  static func log(_ object: NSObject, _ message: String) {
    log("\(object.printed("")) \(message)")
  }
}
