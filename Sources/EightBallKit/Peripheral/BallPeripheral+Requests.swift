import CoreBluetooth
import Foundation

extension BallPeripheral: CBPeripheralManagerDelegate {
  /// The Bluetooth state has changed: adds the service when Bluetooth can be used.
  public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    begin(with: peripheral)
    let isOn = peripheral.state == .poweredOn
    // All centrals are disconnected.
    if !isOn { known.withLock { $0 = [] } }
    update(isPoweredOn: isOn)
    streams.send(.stateUpdated(isPoweredOn: isOn))
    if isOn { publish() }
  }

  /// The service has been added: starts advertising.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) {
    if let error { return fail(.coreBluetooth(error)) }
    peripheral.startAdvertising([
      CBAdvertisementDataServiceUUIDsKey: [BallProfile.service],
      CBAdvertisementDataLocalNameKey: options.localName,
    ])
  }

  /// Advertising has started.
  public func peripheralManagerDidStartAdvertising(
    _ peripheral: CBPeripheralManager, error: (any Error)?
  ) {
    if let error { return fail(.coreBluetooth(error)) }
    streams.send(.advertising)
  }

  /// A central has subscribed: sends an answer that waits.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didSubscribeTo characteristic: CBCharacteristic
  ) {
    let asker = asker(central)
    asker.isSubscribed = true
    notify(asker)
  }

  /// A central has unsubscribed or disconnected.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    // A central that was removed with the radio is not added again.
    guard let asker = askers.first(where: { $0.id == central.identifier }) else { return }
    asker.isSubscribed = false
    // An answer for which there was no room belongs to this subscription: the next may be of
    // another link.
    asker.pending = nil
  }

  /// There is room again: sends the answers that wait.
  public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    for asker in askers { notify(asker) }
  }

  /// A central reads: responds with the last answer to it, empty before the first.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest
  ) {
    let answer = Data((asker(request.central).answer ?? "").utf8)
    guard request.offset <= answer.count else {
      return peripheral.respond(to: request, withResult: .invalidOffset)
    }
    request.value = answer.dropFirst(request.offset)
    peripheral.respond(to: request, withResult: .success)
  }

  /// A central asks. The response is sent before the answer.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
  ) {
    guard let first = requests.first else { return }
    let asker = asker(first.central)
    switch question(in: requests, from: asker) {
    case .success(let question):
      peripheral.respond(to: first, withResult: .success)
      wasAsked(question, by: asker)
    case .failure(let refusal): peripheral.respond(to: first, withResult: refusal.code)
    }
  }

  /// The question in the parts of one write.
  private func question(in requests: [CBATTRequest], from asker: BallAsker) -> Result<
    String, CBATTError
  > {
    if let rejection = asker.contents.withLock(\.rejection) {
      return .failure(CBATTError(rejection.attCode))
    }
    var bytes = Data()
    for request in requests {
      guard request.characteristic.uuid == BallProfile.question, request.offset == bytes.count
      else { return .failure(.application(BallProfile.notOneQuestion)) }
      bytes.append(request.value ?? Data())
    }
    guard let text = String(bytes: bytes, encoding: .utf8) else {
      return .failure(.application(BallProfile.notUTF8))
    }
    return BallQuestion.isQuestion(text) ? .success(text) : .failure(CBATTError(.unlikelyError))
  }
}

extension RejectionReason {
  /// The error for the central.
  fileprivate var attCode: CBATTError.Code {
    switch self {
    case .questionPlease: .unlikelyError
    case .deviceBusy: .insufficientResources
    case .deviceOffline, .timedOut, .peripheralError, .unknown: .requestNotSupported
    }
  }
}

extension CBATTError {
  /// An application error, 0x80 to 0x9F.
  fileprivate static func application(_ number: UInt8) -> CBATTError {
    CBATTError(Code(rawValue: Int(number)) ?? .unlikelyError)
  }
}
