import CoreBluetooth
import Foundation

extension BallPeripheral: CBPeripheralManagerDelegate {
  /// CoreBluetooth tells whether it can be used: the service is added anew.
  public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    begin(with: peripheral)
    let isOn = peripheral.state == .poweredOn
    // Whoever was connected no longer is.
    if !isOn { known { $0 = [] } }
    update(isPoweredOn: isOn)
    streams.send(.stateUpdated(isPoweredOn: isOn))
    if isOn { publish() }
  }

  /// CoreBluetooth has added the service: the ball can be advertised.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) {
    if let error { return fail(.coreBluetooth(error)) }
    peripheral.startAdvertising([
      CBAdvertisementDataServiceUUIDsKey: [BallProfile.service],
      CBAdvertisementDataLocalNameKey: options.localName,
    ])
  }

  /// CoreBluetooth advertises the ball.
  public func peripheralManagerDidStartAdvertising(
    _ peripheral: CBPeripheralManager, error: (any Error)?
  ) {
    if let error { return fail(.coreBluetooth(error)) }
    streams.send(.advertising)
  }

  /// Somebody listens: an answer that waited is given.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didSubscribeTo characteristic: CBCharacteristic
  ) {
    let asker = asker(central)
    asker.isSubscribed = true
    notify(asker)
  }

  /// Somebody listens no longer, or has gone.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    // One that has gone with the radio is not to be known again.
    known.current.first { $0.id == central.identifier }?.isSubscribed = false
  }

  /// There is room again: answers that waited are given.
  public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    for asker in askers { notify(asker) }
  }

  /// Somebody reads: the last answer to this one, empty before the first.
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

  /// Somebody asks. The response goes out before the answer.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
  ) {
    guard let first = requests.first else { return }
    let asker = asker(first.central)
    switch question(in: requests, from: asker) {
    case .success(let question):
      peripheral.respond(to: first, withResult: .success)
      wasAsked(question, by: asker)
    case .failure(let refusal):
      peripheral.respond(to: first, withResult: refusal.code)
    }
  }

  /// The question that the parts of one write make up.
  private func question(
    in requests: [CBATTRequest], from asker: BallAsker
  ) -> Result<String, CBATTError> {
    if let rejection = asker.contents.current.rejection {
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
    return BallQuestion.isQuestion(text)
      ? .success(text) : .failure(CBATTError(.unlikelyError))
  }
}

extension RejectionReason {
  /// What somebody who asks is told.
  fileprivate var attCode: CBATTError.Code {
    switch self {
    case .questionPlease: .unlikelyError
    case .deviceBusy: .insufficientResources
    case .deviceOffline, .timedOut, .peripheralError, .unknown: .requestNotSupported
    }
  }
}

extension CBATTError {
  /// An error of an application's own, 0x80 to 0x9F.
  fileprivate static func application(_ number: UInt8) -> CBATTError {
    CBATTError(Code(rawValue: Int(number)) ?? .unlikelyError)
  }
}
