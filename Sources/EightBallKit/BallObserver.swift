/// Whoever is told what happens, on the manager's queue. All of it is optional.
public protocol BallObserver: AnyObject {
  /// Whether Bluetooth can be used has changed: `manager.isPoweredOn` tells.
  func ballManagerDidUpdateState(_ manager: BallManager)

  /// Something went wrong; with `device`, if it concerns one.
  func ballManager(
    _ manager: BallManager, didFailWith error: BallError, for device: (any BallDevice)?)
}

/// Whoever is told what happens to a central.
public protocol BallCentralObserver: BallObserver {
  /// A ball is connected, and can be asked.
  func ballCentral(_ central: BallCentral, didDiscover ball: Ball)

  /// The ball has taken a question: it is the ball's `question` now.
  func ballCentral(_ central: BallCentral, didAsk ball: Ball)

  /// The ball has answered: the answer is the ball's `answer` now.
  func ballCentral(_ central: BallCentral, didReceiveAnswerFrom ball: Ball)

  /// The ball is offline, and no longer one of `balls`. It may be discovered again.
  func ballCentral(_ central: BallCentral, didLose ball: Ball)
}

/// Whoever is told what happens to a peripheral.
public protocol BallPeripheralObserver: BallObserver {
  /// A question has come.
  func ballPeripheral(
    _ peripheral: BallPeripheral, wasAsked question: String, by asker: BallAsker)

  /// An answer has been notified.
  func ballPeripheral(
    _ peripheral: BallPeripheral, didSend answer: String, to asker: BallAsker,
    question: String)
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
