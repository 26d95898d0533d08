/// What the radio is doing.
public enum RadioState: Equatable, Sendable {
  /// The controller is being set up, or set up again.
  case starting
  /// The controller works, and is not advertising: there is nothing to advertise, every place is
  /// taken, it does not advertise while it has links, or it is shutting down.
  case silent
  /// The controller works, and is advertising: centrals can connect.
  case advertising
  /// The controller has failed or does not answer; it is being reset.
  case fault(RadioFault)
}

/// How a controller failed.
public enum RadioFault: Equatable, Sendable {
  /// It said so (Hardware Error), with its maker's code.
  case hardwareError(UInt8)
  /// It left a command unanswered.
  case unanswered(HCIOpcode)
  /// It refused a command that nothing works without.
  case refused(HCIOpcode, HCIErrorCode)
  /// It stopped advertising by itself: it has lost its state.
  case stoppedAdvertising
  /// It has gone.
  case lost
}
