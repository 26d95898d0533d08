import BluetoothHost
import EightBall

// On the link: from the first request to the answer.
extension AskProgram {
  /// Performs the next step.
  mutating func perform(at now: Instant) {
    guard let step, let operation = operation(step) else { return }
    if step == .write {
      isWritten = true
      earlyAnswer = nil
    }
    guard session.host.perform(operation, at: 0) else { return }
    running = step
    self.step = nil
  }

  /// The operation of a step; `nil` if the step has failed.
  private mutating func operation(_ step: Step) -> ClientOperation? {
    let ball = session.host.client.application.ball
    switch step {
    case .exchangeMTU: return .exchangeMTU
    case .findService: return .discoverServicesByUUID(.ballService)
    case .findCharacteristics: return ball.service.map { .discoverCharacteristics($0) }
    case .findDescriptors: return ball.descriptors.map { .discoverDescriptors($0) }
    case .subscribe:
      guard let handle = ball.configuration, let kind = ball.subscription else { return nil }
      return .subscribe(handle, kind)
    case .write:
      guard let question, let characteristic = ball.question else { return nil }
      session.host.client.application.value = Array(question.utf8)
      return .write(characteristic.value, byteCount: question.utf8.count)
    case .unsubscribe: return ball.configuration.map { .subscribe($0, .none) }
    }
  }

  /// The operation under way has ended.
  mutating func ended(_ error: OperationError?, at now: Instant) {
    guard let step = running else { return }
    running = nil
    if let error { return failed(step, error, at: now) }
    isRepeated = false
    let ball = session.host.client.application.ball
    switch step {
    case .exchangeMTU: self.step = .findService
    case .findService where ball.service == nil: lackService(at: now)
    case .findService: self.step = .findCharacteristics
    case .findCharacteristics: chooseBall(at: now)
    case .findDescriptors where ball.configuration == nil:
      conclude(.failed(.refused(.attributeNotFound)), at: now)
    case .findDescriptors: self.step = .subscribe
    case .subscribe:
      isSubscribed = true
      if question != nil { self.step = .write }
    case .write: accepted(at: now)
    case .unsubscribe: shutDown(at: now)
    }
  }

  private mutating func failed(_ step: Step, _ error: OperationError, at now: Instant) {
    // Discovery needs no permission: Vol 3, Part G, 8.1.
    if step == .subscribe || step == .write, question != nil, !isRepeated, protect(after: error) {
      isRepeated = true
      refusedStep = step
      return
    }
    isRepeated = false
    switch step {
    // A link that fails for another reason than its MTU ends, or fails the next step.
    case .exchangeMTU: self.step = .findService
    case .findService, .findCharacteristics:
      guard let failure = CentralError(error, isDiscovery: true) else { return }
      giveUp(with: .failed(failure), at: now)
    case .findDescriptors, .subscribe:
      guard question != nil, let failure = CentralError(error, isDiscovery: false) else { return }
      conclude(.failed(failure), at: now)
    case .write:
      guard isWritten, let failure = CentralError(error, isDiscovery: false) else { return }
      // Unlikely Error means that the text is not a question.
      conclude(failure == .refused(.unlikelyError) ? .refused : .failed(failure), at: now)
    case .unsubscribe: shutDown(at: now)
    }
  }

  mutating func protected(_ error: OperationError?, at now: Instant) {
    guard let error else {
      step = refusedStep
      return
    }
    isRepeated = false
    if let failure = CentralError(error, isDiscovery: false) { conclude(.failed(failure), at: now) }
  }

  private mutating func lackService(at now: Instant) {
    giveUp(with: .noService(name: session.candidates.first?.name ?? ""), at: now)
  }

  /// The ball's attributes are known: it is the ball to ask.
  private mutating func chooseBall(at now: Instant) {
    choose()
    if request.stays { printer.isReady() }
    askNext(at: now)
  }

  // MARK: Questions

  /// Takes a line of standard input, or its end.
  mutating func takeLine(_ line: [UInt8]?, at now: Instant) {
    guard let line else {
      hasInputEnded = true
      return askNext(at: now)
    }
    // An empty line asks nothing.
    guard !line.isEmpty else { return }
    do throws(QuestionInputError) {
      waiting.append(try QuestionInputError.question(of: line))
    } catch {
      printer.failed(error.description, reason: "question")
    }
    askNext(at: now)
  }

  /// Asks the next question, if there is a ball and no other question.
  private mutating func askNext(at now: Instant) {
    guard question == nil, outcome == nil else { return }
    if waiting.isEmpty {
      if hasInputEnded { finish(.inputEnded, at: now) }
      return
    }
    guard session.isChosen else { return }
    question = waiting.removeFirst()
    isWritten = false
    isAccepted = false
    earlyAnswer = nil
    let ball = session.host.client.application.ball
    guard ball.question != nil, ball.answer != nil else {
      return conclude(.noService(name: session.candidates.first?.name ?? ""), at: now)
    }
    guard ball.subscription != nil else {
      return conclude(.failed(.refused(.requestNotSupported)), at: now)
    }
    answerEnd = now.advanced(by: request.answerTimeout)
    if isSubscribed {
      step = .write
    } else if ball.configuration != nil {
      step = .subscribe
    } else if ball.descriptors != nil {
      step = .findDescriptors
    } else {
      conclude(.failed(.refused(.attributeNotFound)), at: now)
    }
  }

  /// Ends with the outcome of the question, or prints it and goes on with the next question.
  mutating func conclude(_ outcome: CentralOutcome, at now: Instant) {
    answerEnd = nil
    step = nil
    session.securing = nil
    guard request.stays, outcome.isOfOneQuestion else { return finish(outcome, at: now) }
    printer.ended(outcome, of: question, request)
    question = nil
    askNext(at: now)
  }

  /// The ball has accepted the question.
  private mutating func accepted(at now: Instant) {
    // It may confirm a question that has timed out.
    guard question != nil, isWritten else { return }
    isAccepted = true
    if let earlyAnswer { conclude(.answered(earlyAnswer), at: now) }
  }

  /// The ball has notified a value: an answer, if it is text.
  mutating func notified(_ handle: AttributeHandle, _ value: [UInt8], at now: Instant) {
    guard session.isChosen, outcome == nil,
      handle == session.host.client.application.ball.answer?.value,
      !value.isEmpty, let text = String(validating: value, as: UTF8.self)
    else { return }
    if question == nil {
      printer.notified(text)
    } else if isAccepted {
      conclude(.answered(text), at: now)
    } else if isWritten {
      // It has overtaken the confirmation. The last one counts.
      earlyAnswer = text
    }
  }
}
