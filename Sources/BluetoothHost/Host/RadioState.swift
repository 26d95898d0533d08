/// The state of the radio.
public enum RadioState: Equatable, Sendable {
  /// The host sets the controller up, or sets it up again.
  case starting
  /// The controller works and does not advertise: there is nothing to advertise, every connection
  /// is in use, it cannot advertise while it has links, or it is shutting down.
  case silent
  /// The controller works and advertises: centrals can connect.
  case advertising
  /// The controller has failed or does not answer; the host resets it.
  case fault(RadioFault)
}

/// How a controller failed.
public enum RadioFault: Equatable, Sendable {
  /// It reported Hardware Error, with this vendor's code.
  case hardwareError(UInt8)
  /// It did not answer a command.
  case unanswered(HCIOpcode)
  /// It refused a command that the host needs.
  case refused(HCIOpcode, HCIErrorCode)
  /// It stopped advertising without a command: it has lost its state.
  case stoppedAdvertising
  /// It has been removed.
  case lost
}
