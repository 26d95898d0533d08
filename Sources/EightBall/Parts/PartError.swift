/// Why a part of the board, a motion sensor or a display, cannot be used.
public enum PartError: Error, Equatable, Sendable {
  /// A transfer on its bus failed.
  case bus(I2CError)
  /// The device at its address is another: its identity register has this value.
  case wrongIdentity(UInt8)
  /// The device answers, but has lost its settings, as after a loss of its supply.
  case lostSettings
}

/// A change in whether a part works.
public enum PartEvent: Equatable, Sendable {
  /// It has stopped working, or it did not work at the start. Reported once.
  case lost(PartError)
  /// It works, for the first time or again.
  case found
}
