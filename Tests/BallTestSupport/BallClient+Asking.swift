import BluetoothHost

extension BallClient {
  /// Begins an operation, and the stage that waits for it.
  func begin(_ stage: Stage, _ operation: Operation) {
    guard let link else { return }
    self.stage = stage
    self.operation = central.perform(operation, on: link)
  }

  /// The operation of the stage has ended.
  func completed(_ result: Result<OperationOutput, OperationError>, at now: Instant) {
    if case .unsubscribing(let outcome) = stage { return leave(outcome, at: now) }
    switch result {
    case .success(let output): proceed(output, at: now)
    case .failure(let error): failed(error, at: now)
    }
  }

  private func proceed(_ output: OperationOutput, at now: Instant) {
    switch (stage, output) {
    case (.exchangingMTU, .mtu):
      begin(.discoveringService, .discoverServices(BallService.service))
    case (.discoveringService, .services(let services)):
      guard let service = services.first else { return decide(.misbehaved(.noService), at: now) }
      serviceRange = service.range
      begin(.discoveringCharacteristics, .discoverCharacteristics(service.range))
    case (.discoveringCharacteristics, .characteristics(let characteristics)):
      found(characteristics, at: now)
    case (.discoveringConfiguration, .descriptors(let descriptors)):
      found(descriptors, at: now)
    case (.subscribing, .written):
      write()
    case (.writing, .written):
      post(.asked)
      stage = .waiting
      if let earlyAnswer { decide(.answered(earlyAnswer), at: now) }
    default:
      return
    }
  }

  private func failed(_ error: OperationError, at now: Instant) {
    switch error {
    case .refused(let response) where stage == .writing && response.code == .unlikelyError:
      decide(.refused, at: now)
    case .refused(let response):
      decide(.error(response.code), at: now)
    case .wrongResponse(let fault):
      decide(.misbehaved(.wrongResponse(fault)), at: now)
    case .timedOut:
      decide(.timedOut, at: now)
    case .tooLong(let limit):
      decide(.tooLong(limit: limit), at: now)
    case .disconnected, .encryptionFailed:
      // The link's own event gives the reason; and this client has no bonds.
      return
    }
  }

  private func found(_ characteristics: [RemoteCharacteristic], at now: Instant) {
    question = characteristics.first {
      $0.uuid == BallService.question
        && ($0.properties.contains(.write) || $0.properties.contains(.writeWithoutResponse))
    }
    answer = characteristics.first {
      $0.uuid == BallService.answer
        && ($0.properties.contains(.notify) || $0.properties.contains(.indicate))
    }
    guard question != nil else { return decide(.misbehaved(.noQuestion), at: now) }
    guard let answer else { return decide(.misbehaved(.noAnswer), at: now) }
    // Its descriptors end before the next declaration, or at the end of the service.
    let next = characteristics.first { $0.declaration > answer.value }?.declaration.rawValue
    let range = AttributeHandleRange(
      start: AttributeHandle(rawValue: answer.value.rawValue &+ 1),
      end: next.map { AttributeHandle(rawValue: $0 - 1) } ?? serviceRange.end)
    guard range.isValid else { return decide(.misbehaved(.noAnswer), at: now) }
    begin(.discoveringConfiguration, .discoverDescriptors(range))
  }

  private func found(_ descriptors: [RemoteDescriptor], at now: Instant) {
    let configuration = descriptors.first { $0.uuid == .clientCharacteristicConfiguration }
    guard let configuration, let answer else { return decide(.misbehaved(.noAnswer), at: now) }
    answerConfiguration = configuration.handle
    // The answer timeout starts here, as in the apps.
    stageDeadline = now.advanced(by: inquiry.answerTimeout)
    let wanted: ClientConfiguration =
      answer.properties.contains(.notify) ? .notification : .indication
    begin(.subscribing, .subscribe(configuration.handle, wanted))
  }

  private func write() {
    guard let question else { return }
    let text = Array(inquiry.question.utf8)
    begin(
      .writing,
      question.properties.contains(.write)
        ? .write(question.value, text) : .writeWithoutResponse(question.value, text))
  }

  /// A notified value of Answer: the answer, if it is text.
  func notified(_ value: [UInt8], at now: Instant) {
    guard !value.isEmpty, let text = String(validating: value, as: UTF8.self) else { return }
    switch stage {
    case .writing: earlyAnswer = text
    case .waiting: decide(.answered(text), at: now)
    default: return
    }
  }

  /// Reports the outcome and closes the link; if the ball can still respond, unsubscribes first.
  func decide(_ outcome: BallOutcome, at now: Instant) {
    post(.decided(outcome))
    stageDeadline = now.advanced(by: inquiry.closingTimeout)
    switch outcome {
    case .answered, .refused, .error:
      guard let answerConfiguration else { return leave(outcome, at: now) }
      begin(.unsubscribing(outcome), .subscribe(answerConfiguration, .none))
    default:
      leave(outcome, at: now)
    }
  }

  /// Closes the link.
  func leave(_ outcome: BallOutcome, at now: Instant) {
    guard let link else { return finish(outcome) }
    central.stopScan()
    stage = .disconnecting(outcome)
    // The host ensures that the link ends, whatever the controller does.
    stageDeadline = nil
    central.disconnect(link)
  }

  /// Everything is done.
  func finish(_ outcome: BallOutcome, decided isNew: Bool = false) {
    if isNew, !isDecided { post(.decided(outcome)) }
    post(.finished(decidedOutcome ?? outcome))
    central.stopScan()
    stage = .finished
    stageDeadline = nil
    link = nil
  }

  private var isDecided: Bool { decidedOutcome != nil }

  private var decidedOutcome: BallOutcome? {
    switch stage {
    case .unsubscribing(let outcome), .disconnecting(let outcome): outcome
    default: nil
    }
  }
}
