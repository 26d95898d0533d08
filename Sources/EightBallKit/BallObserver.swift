/// Receives a manager's events, on its queue. All methods are optional: the class that conforms
/// declares those that it wants. A method that only a subclass of it declares is never called.
public protocol BallObserver: AnyObject {
  /// Whether Bluetooth can be used has changed: see `manager.isPoweredOn`.
  func ballManagerDidUpdateState(_ manager: BallManager)

  /// An error; with `device`, if it concerns one.
  func ballManager(
    _ manager: BallManager, didFailWith error: BallError, for device: (any BallDevice)?)
}

/// Receives a central's events.
public protocol BallCentralObserver: BallObserver {
  /// A ball is connected, and can be asked.
  func ballCentral(_ central: BallCentral, didDiscover ball: Ball)

  /// The ball has accepted a question: it is the ball's `question` now.
  func ballCentral(_ central: BallCentral, didAsk ball: Ball)

  /// The ball has answered: the answer is the ball's `answer` now.
  func ballCentral(_ central: BallCentral, didReceiveAnswerFrom ball: Ball)

  /// The ball is offline, and no longer one of `balls`. It may be discovered again.
  func ballCentral(_ central: BallCentral, didLose ball: Ball)
}

/// Receives a peripheral's events.
public protocol BallPeripheralObserver: BallObserver {
  /// A central has asked a question.
  func ballPeripheral(_ peripheral: BallPeripheral, wasAsked question: String, by asker: BallAsker)

  /// An answer has been notified.
  func ballPeripheral(
    _ peripheral: BallPeripheral, didSend answer: String, to asker: BallAsker, question: String)
}

extension BallObserver {
  /// Nothing.
  public func ballManagerDidUpdateState(_ manager: BallManager) {}
  /// Nothing.
  public func ballManager(
    _ manager: BallManager, didFailWith error: BallError, for device: (any BallDevice)?
  ) {}
}

extension BallCentralObserver {
  /// Nothing.
  public func ballCentral(_ central: BallCentral, didDiscover ball: Ball) {}
  /// Nothing.
  public func ballCentral(_ central: BallCentral, didAsk ball: Ball) {}
  /// Nothing.
  public func ballCentral(_ central: BallCentral, didReceiveAnswerFrom ball: Ball) {}
  /// Nothing.
  public func ballCentral(_ central: BallCentral, didLose ball: Ball) {}
}

extension BallPeripheralObserver {
  /// Nothing.
  public func ballPeripheral(
    _ peripheral: BallPeripheral, wasAsked question: String, by asker: BallAsker
  ) {}
  /// Nothing.
  public func ballPeripheral(
    _ peripheral: BallPeripheral, didSend answer: String, to asker: BallAsker, question: String
  ) {}
}
