import CoreBluetooth
import Foundation

// From an advertisement to a ball that can be asked.
extension BallCentral: CBCentralManagerDelegate {
  /// The Bluetooth state has changed.
  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    begin(with: central)
    let isOn = central.state == .poweredOn
    // Earlier balls are no longer valid.
    if isOn {
      leaving = []
    } else {
      for ball in Array(known.values) { lose(ball) }
      hasRoom = true
    }
    update(isPoweredOn: isOn)
    streams.send(.stateUpdated(isPoweredOn: isOn))
    if isOn, !isStopped { scan() }
  }

  /// A ball advertises: connects to it once, if it has a name and is near.
  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    // It may have been discovered before the scan ended.
    guard !isStopped, hasRoom, ball(peripheral) == nil, !rejected.contains(peripheral.identifier)
    else { return }
    let advertised = advertisementData[CBAdvertisementDataLocalNameKey] as? String
    // 127 stands for unknown. Core Specification, Vol 4, Part E, 7.7.65.2.
    let rssi = RSSI.intValue == 127 ? nil : RSSI.intValue
    guard let name = advertised ?? peripheral.name, !name.isEmpty,
      options.name == nil || options.name == name, options.isHeard(rssi)
    else { return }
    let ball = Ball(peripheral, name: name, rssi: rssi, central: self)
    known[ball.id] = ball
    peripheral.delegate = self
    streams.send(.found(ball))
    central.connect(peripheral, options: nil)
  }

  /// A ball is connected.
  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    guard let ball = ball(peripheral) else { return }
    streams.send(.connected(ball))
    peripheral.discoverServices([BallProfile.service])
  }

  /// A ball could not be connected: it may be found again. If this side has no room for another
  /// link, no ball is taken until there is room.
  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    leaving.removeAll { $0 === peripheral }
    guard let ball = ball(peripheral) else { return }
    guard let error = error as? CBError, error.code == .connectionLimitReached else {
      return lose(ball)
    }
    lose(ball, because: error)
    waitForRoom()
  }

  private func waitForRoom() {
    guard hasRoom else { return }
    hasRoom = false
    // The ends of this central's links are reported; those of other managers are not.
    guard !known.values.contains(where: \.isConnected) else { return }
    retryTimer?()
    retryTimer = timers(Self.retryDelay, queue) { [weak self] in
      self?.hasRoom = true
    }
  }

  /// A ball is disconnected: it may be found again.
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {
    leaving.removeAll { $0 === peripheral }
    hasRoom = true
    // If the peripheral is connecting again, this is the end of an earlier link, whose loss was
    // reported when it was dropped.
    guard let ball = ball(peripheral), peripheral.state == .disconnected else { return }
    guard let error = error as? CBError, Self.isAboutKeys(error.code) else { return lose(ball) }
    // The next link would end in the same way.
    rejected.insert(ball.id)
    lose(ball, because: error)
  }

  /// Whether a link has ended because a key is missing or different.
  private static func isAboutKeys(_ code: CBError.Code) -> Bool {
    code == .peerRemovedPairingInformation || code == .encryptionTimedOut
  }

  /// Removes a ball, and reports that.
  func lose(_ ball: Ball, because reason: any Error = RejectionReason.deviceOffline) {
    guard known[ball.id] === ball else { return }
    known[ball.id] = nil
    if ball.peripheral.state != .disconnected { leaving.append(ball.peripheral) }
    // The failure of a question that timed out has been reported.
    let wasAsked = ball.conversation.timer != nil
    let wasDiscovered = ball.conversation.isDiscovered
    let inquiries = [end(ball)] + ball.conversation.waiting.map(\.inquiry)
    ball.conversation = Conversation()
    discovered.withLock { $0.removeAll { $0 === ball } }
    fail(wasAsked ? .sendFailed(reason) : .coreBluetooth(reason), ball)
    for inquiry in inquiries { inquiry?.end(.failure(BallError.sendFailed(reason))) }
    guard wasDiscovered else { return }
    callObservers { $0.ballCentral(self, didLose: ball) }
    streams.send(.lost(ball))
  }

  /// Ends a ball's connection for good.
  func reject(_ ball: Ball, because reason: RejectionReason) {
    queue.async { [self] in
      guard known[ball.id] === ball else { return }
      rejected.insert(ball.id)
      lose(ball, because: reason)
      if isPoweredOn { cbManager?.cancelPeripheralConnection(ball.peripheral) }
    }
  }
}

extension BallCentral.Options {
  /// Whether a ball with this RSSI is wanted.
  fileprivate func isHeard(_ rssi: Int?) -> Bool {
    guard let rssiRange else { return true }
    return rssi.map(rssiRange.contains) ?? false
  }
}

extension BallCentral: CBPeripheralDelegate {
  /// A ball's service has been discovered.
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let ball = ball(peripheral) else { return }
    if let error { return fail(.coreBluetooth(error), ball) }
    let services = peripheral.services ?? []
    guard let service = services.first(where: { $0.uuid == BallProfile.service }) else {
      return fail(.coreBluetooth(RejectionReason.deviceOffline), ball)
    }
    peripheral.discoverCharacteristics([BallProfile.question, BallProfile.answer], for: service)
  }

  /// A ball's characteristics have been discovered: it can be asked.
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
    error: (any Error)?
  ) {
    // A service that was removed meanwhile has been discovered again.
    guard let ball = ball(peripheral), service.uuid == BallProfile.service,
      peripheral.services?.contains(where: { $0 === service }) == true
    else { return }
    if let error { return fail(.coreBluetooth(error), ball) }
    let characteristics = service.characteristics ?? []
    ball.conversation.questionCharacteristic = characteristics.first {
      $0.uuid == BallProfile.question
    }
    ball.conversation.answerCharacteristic = characteristics.first { $0.uuid == BallProfile.answer }
    guard !ball.conversation.isDiscovered else { return resume(ball) }
    ball.conversation.isDiscovered = true
    discovered.withLock { $0.append(ball) }
    callObservers { $0.ballCentral(self, didDiscover: ball) }
    streams.send(.discovered(ball))
  }

  /// The ball's services have changed: discovers them again.
  public func peripheral(
    _ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]
  ) {
    // Added services are not in the list of invalidated ones.
    guard let ball = ball(peripheral),
      !ball.conversation.isServerKnown
        || invalidatedServices.contains(where: { $0.uuid == BallProfile.service })
    else { return }
    if isStopped { return drop(ball) }
    ball.conversation.forgetServer()
    peripheral.discoverServices([BallProfile.service])
  }
}
