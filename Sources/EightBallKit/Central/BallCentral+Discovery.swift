import CoreBluetooth
import Foundation

// From a ball that is heard to one that can be asked.
extension BallCentral: CBCentralManagerDelegate {
  /// CoreBluetooth tells whether it can be used.
  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    begin(with: central)
    let isOn = central.state == .poweredOn
    // What there was is of no more use.
    if isOn {
      leaving = []
    } else {
      for ball in Array(known.values) { lose(ball) }
      hasPlace = true
    }
    update(isPoweredOn: isOn)
    streams.send(.stateUpdated(isPoweredOn: isOn))
    if isOn, !isStopped { scan() }
  }

  /// CoreBluetooth has heard a ball: it is taken once, if it has a name and is near.
  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    // It may have been heard before the scan was ended.
    guard !isStopped, hasPlace, ball(peripheral) == nil, !rejected.contains(peripheral.identifier)
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

  /// CoreBluetooth has connected a ball.
  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    guard let ball = ball(peripheral) else { return }
    streams.send(.connected(ball))
    peripheral.discoverServices([BallProfile.service])
  }

  /// CoreBluetooth could not connect a ball: it may be heard again. If this side has no place for
  /// another link, no ball is taken until there is one.
  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    leaving.removeAll { $0 === peripheral }
    guard let ball = ball(peripheral) else { return }
    guard let error = error as? CBError, error.code == .connectionLimitReached else {
      return lose(ball)
    }
    lose(ball, because: error)
    waitForPlace()
  }

  private func waitForPlace() {
    guard hasPlace else { return }
    hasPlace = false
    // The end of a link of its own is told; that of another's is not.
    guard !known.values.contains(where: \.isConnected) else { return }
    placeTimer = timers.schedule(after: Self.pause, on: queue) { [weak self] in
      self?.hasPlace = true
    }
  }

  /// CoreBluetooth has lost a ball: it may be heard again.
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {
    leaving.removeAll { $0 === peripheral }
    hasPlace = true
    // If it is being connected again, what has ended is a link of before, which was lost then.
    guard let ball = ball(peripheral), peripheral.state == .disconnected else { return }
    guard let error = error as? CBError, Self.isAboutKeys(error.code) else { return lose(ball) }
    // The next link would end in the same way.
    rejected.insert(ball.id)
    lose(ball, because: error)
  }

  /// Whether a link has ended since the two devices have different keys, or one has none.
  private static func isAboutKeys(_ code: CBError.Code) -> Bool {
    code == .peerRemovedPairingInformation || code == .encryptionTimedOut
  }

  /// Forgets a ball, and tells those who knew it.
  func lose(_ ball: Ball, because reason: any Error = RejectionReason.deviceOffline) {
    guard known[ball.id] === ball else { return }
    known[ball.id] = nil
    if ball.peripheral.state != .disconnected { leaving.append(ball.peripheral) }
    // The failure of a question that timed out has been reported.
    let wasAsked = ball.conversation.timer != nil
    let wasDiscovered = ball.conversation.isDiscovered
    let inquiries = [end(ball)] + ball.conversation.waiting.map(\.inquiry)
    ball.conversation = Conversation()
    discovered { $0.removeAll { $0 === ball } }
    fail(wasAsked ? .sendFailed(reason) : .coreBluetooth(reason), ball)
    for inquiry in inquiries { inquiry?.end(.failure(BallError.sendFailed(reason))) }
    guard wasDiscovered else { return }
    tell { $0.ballCentral(self, didLose: ball) }
    streams.send(.lost(ball))
  }

  /// Ends a ball's connection, and does not make it again.
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
  /// Whether a ball that is heard so strongly is one that is wanted.
  fileprivate func isHeard(_ rssi: Int?) -> Bool {
    guard let rssiRange else { return true }
    return rssi.map(rssiRange.contains) ?? false
  }
}

extension BallCentral: CBPeripheralDelegate {
  /// CoreBluetooth has discovered a ball's service.
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let ball = ball(peripheral) else { return }
    if let error { return fail(.coreBluetooth(error), ball) }
    let services = peripheral.services ?? []
    guard let service = services.first(where: { $0.uuid == BallProfile.service }) else {
      return fail(.coreBluetooth(RejectionReason.deviceOffline), ball)
    }
    peripheral.discoverCharacteristics([BallProfile.question, BallProfile.answer], for: service)
  }

  /// CoreBluetooth has discovered a ball's characteristics: it can be asked.
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
    error: (any Error)?
  ) {
    // A service that has gone meanwhile has been discovered anew.
    guard let ball = ball(peripheral), service.uuid == BallProfile.service,
      peripheral.services?.contains(where: { $0 === service }) == true
    else { return }
    if let error { return fail(.coreBluetooth(error), ball) }
    let characteristics = service.characteristics ?? []
    ball.conversation.questionCharacteristic = characteristics.first {
      $0.uuid == BallProfile.question
    }
    ball.conversation.answerCharacteristic = characteristics.first {
      $0.uuid == BallProfile.answer
    }
    guard !ball.conversation.isDiscovered else { return resume(ball) }
    ball.conversation.isDiscovered = true
    discovered { $0.append(ball) }
    tell { $0.ballCentral(self, didDiscover: ball) }
    streams.send(.discovered(ball))
  }

  /// The ball has changed its services: what was known of them is discovered anew.
  public func peripheral(
    _ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]
  ) {
    // Services that have come, rather than gone, are named by none of those that were known.
    guard let ball = ball(peripheral),
      !ball.conversation.isServerKnown
        || invalidatedServices.contains(where: { $0.uuid == BallProfile.service })
    else { return }
    ball.conversation.forgetServer()
    peripheral.discoverServices([BallProfile.service])
  }
}
