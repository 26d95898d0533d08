import Logging

/// The log of what delegates cannot report.
enum Log {
  static let logger = Logger(label: "CoreBluetooth")
}
