import Foundation
import LinuxRadio

@testable import CoreBluetooth

/// A unique path for a virtual air.
final class AirPath: Sendable {
  let text: String

  init() {
    text = "/tmp/eightball-test-air-\(UUID().uuidString).sock"
  }

  deinit { _ = unsafe unlink(text) }

  var exists: Bool { FileManager.default.fileExists(atPath: text) }

  /// The engine of a new radio on the air.
  func engine() -> RadioEngine { RadioEngine(.virtual, airPath: text, stopsWhenUnused: true) }

  /// A new radio on the air.
  func radio() -> CBRadio { CBRadio(engine()) }
}
