import Logging

/// Where everything is logged that a program cannot be told by its delegates.
enum Log {
  static let logger = Logger(label: "CoreBluetooth")
}
