import BluetoothHost
import EightBall
import VirtualRadio

/// A central that asks a ball one question: it finds a ball, connects, subscribes, writes the
/// question, waits for the answer, and disconnects.
package final class Asker: Phone {
  /// How an inquiry ends.
  package enum Outcome: Equatable {
    case answered(String)
    case noBallFound
    /// The ball refused, was lost, was too slow or misbehaved.
    case failed
  }

  private enum Stage: Equatable {
    case searching
    /// A ball was found whose name is not complete.
    case naming(DeviceAddress)
    case connecting
    /// An operation is under way.
    case preparing, subscribing, writing
    case waiting
    case unsubscribing, leaving, finished
  }

  private let question: [UInt8]
  private var stage = Stage.searching
  /// When the search must have ended, even if a ball is found that cannot be reached.
  private var searchEnd: Instant?
  private var serviceEnd = AttributeHandle(rawValue: 0)
  private var handles: (question: AttributeHandle, answer: AttributeHandle)?
  private var configuration: AttributeHandle?
  /// An answer that came before the response to the question.
  private var earlyAnswer: String?

  /// The outcome; `nil` until it is decided.
  package private(set) var outcome: Outcome?

  package init(_ question: String, on radio: VirtualController) {
    self.question = Array(question.utf8)
    super.init(on: radio)
  }

  /// Whether it has left.
  package var isFinished: Bool { stage == .finished }
  package var isAnswered: Bool { if case .answered = outcome { true } else { false } }

  package override func start(at now: Instant) {
    super.start(at: now)
    scan()
  }

  override func heard(_ event: Collector.Event) {
    switch (event, stage) {
    case (.radio(.silent), .searching):
      searchEnd = now.advanced(by: 5_000)
      alarm = searchEnd
    case (.discovered(let discovery), .searching): found(discovery)
    case (.discovered(let discovery), .naming(let address)) where address == discovery.address:
      found(discovery)
    case (.scanFailed, .searching), (.scanFailed, .naming): finish()
    case (.connected, .connecting):
      alarm = now.advanced(by: 10_000)
      begin(.exchangeMTU, as: .preparing)
    case (.connectionFailed, .connecting):
      guard let searchEnd, now < searchEnd else { return finish() }
      search()
    case (.connectionFailed, .leaving), (.disconnected, _): finish()
    case (.ended, .unsubscribing): leave()
    case (.ended(_, _, .success(let output)), _): proceed(output)
    case (.ended(_, _, .failure(let error)), .preparing),
      (.ended(_, _, .failure(let error)), .subscribing),
      (.ended(_, _, .failure(let error)), .writing):
      // The link's own event follows.
      if error != .disconnected { decide(.failed, canRespond: error.isRefusal) }
    case (.notified(_, let handle, let value), _) where handle == handles?.answer:
      let text = String(decoding: value, as: UTF8.self)
      if stage == .writing { earlyAnswer = text }
      if stage == .waiting { decide(.answered(text), canRespond: true) }
    default: break
    }
  }

  override func alarmRings() {
    switch stage {
    case .searching: decide(.noBallFound)
    case .naming(let address): connect(to: address)
    case .unsubscribing: leave()
    case .preparing, .subscribing, .writing, .waiting: decide(.failed)
    case .connecting, .leaving, .finished: break
    }
  }

  // MARK: The search

  private func search() {
    stage = .searching
    alarm = searchEnd
    scan()
  }

  /// Takes an advertiser that is a ball; waits a little for its name, as apps do.
  private func found(_ discovery: Discovery) {
    guard discovery.isConnectable, discovery.serviceUUIDs.contains(.ballService) else { return }
    if discovery.isNameComplete { return connect(to: discovery.address) }
    guard stage == .searching else { return }
    stage = .naming(discovery.address)
    alarm = min(now.advanced(by: 500), searchEnd ?? now)
  }

  private func connect(to address: DeviceAddress) {
    stopScan()
    stage = .connecting
    alarm = nil
    connect(to: address, timeout: 5_000, at: now)
  }

  // MARK: The question

  private func begin(_ operation: ClientOperation, as stage: Stage, value: [UInt8] = []) {
    self.stage = stage
    perform(operation, value: value)
  }

  private func proceed(_ output: OperationOutput) {
    switch (stage, output) {
    case (.preparing, .mtu): begin(.discoverServicesByUUID(.ballService), as: .preparing)
    case (.preparing, .services(let services)):
      guard let range = services.first?.range else { return decide(.failed) }
      serviceEnd = range.end
      begin(.discoverCharacteristics(range), as: .preparing)
    case (.preparing, .characteristics(let found)):
      guard let question = found.first(where: { $0.uuid == .question }),
        let answer = found.first(where: { $0.uuid == .answer }), answer.value < serviceEnd
      else { return decide(.failed) }
      handles = (question.value, answer.value)
      let start = AttributeHandle(rawValue: answer.value.rawValue + 1)
      begin(
        .discoverDescriptors(AttributeHandleRange(start: start, end: serviceEnd)), as: .preparing)
    case (.preparing, .descriptors(let found)):
      configuration = found.first { $0.uuid == .clientCharacteristicConfiguration }?.handle
      guard let configuration else { return decide(.failed) }
      // The time for the answer starts here, as in the apps.
      alarm = now.advanced(by: 2_000)
      begin(.subscribe(configuration, .notification), as: .subscribing)
    case (.subscribing, .written):
      guard let handles else { return }
      begin(.write(handles.question, byteCount: question.count), as: .writing, value: question)
    case (.writing, .written):
      stage = .waiting
      if let earlyAnswer { decide(.answered(earlyAnswer), canRespond: true) }
    default: break
    }
  }

  // MARK: The end

  /// Closes the link; if the ball can still respond, unsubscribes first.
  private func decide(_ outcome: Outcome, canRespond: Bool = false) {
    self.outcome = outcome
    alarm = now.advanced(by: 1_000)
    guard canRespond, let configuration else { return leave() }
    begin(.subscribe(configuration, .none), as: .unsubscribing)
  }

  private func leave() {
    stopScan()
    guard hasLink else { return finish() }
    stage = .leaving
    // The host ensures that the link ends, whatever the controller does.
    alarm = nil
    disconnect()
  }

  private func finish() {
    stopScan()
    outcome = outcome ?? .failed
    stage = .finished
    alarm = nil
  }
}

extension OperationError {
  /// Whether the server has responded with an error.
  fileprivate var isRefusal: Bool { if case .refused = self { true } else { false } }
}
