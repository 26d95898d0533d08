import CoreBluetooth
import Foundation

/// A Magic 8-Ball: advertises, takes questions, and answers them.
public final class BallPeripheral: BallManager, @unchecked Sendable {
  /// The form of answers on the air.
  public enum AnswerStyle: Sendable {
    /// English text, which every app can show.
    case text
    /// `SLUG-ANSWER-00` to `SLUG-ANSWER-19`, which apps translate.
    case slug
  }

  /// A ball's options.
  public struct Options: Sendable {
    /// The advertised name.
    public var localName = "8-Ball"
    /// The form of its answers on the air.
    public var answerStyle = AnswerStyle.text
    /// Whether it answers each question at random; if not, an observer answers.
    public var answersByItself = true

    /// A ball called “8-Ball”, which answers at random in English.
    public init() {}
  }

  /// An event, for a sequence instead of calls to an observer.
  public enum Event: Sendable {
    /// Whether Bluetooth can be used has changed.
    case stateUpdated(isPoweredOn: Bool)
    /// Advertising has started.
    case advertising
    /// A central has asked a question.
    case asked(BallAsker, question: String)
    /// An answer has been notified.
    case answered(BallAsker, answer: String, question: String)
    /// An error; with the central, if it concerns one.
    case failed(BallError, BallAsker?)
  }

  /// The options that it was made with.
  public let options: Options

  /// The advertised name.
  public var localName: String { options.localName }

  /// The centrals that have asked or subscribed.
  public var askers: [BallAsker] { known.withLock(\.self) }

  /// The events. If Bluetooth can be used, the sequence begins with `stateUpdated`, and with
  /// `advertising` if the ball advertises. Each reader has a separate sequence.
  public var events: AsyncStream<Event> {
    streams.makeStream(on: queue) { [weak self] in
      guard let self, isPoweredOn else { return [] }
      return [.stateUpdated(isPoweredOn: true)]
        + (cbManager?.isAdvertising == true ? [.advertising] : [])
    }
  }

  /// A ball that advertises as soon as Bluetooth can be used.
  ///
  /// - Parameters:
  ///   - options: The settings that differ from the defaults.
  ///   - queue: The serial queue for all calls; `nil` is the main queue.
  ///   - makeManager: Makes the CoreBluetooth manager, which must have this delegate and this
  ///     queue.
  public convenience init(
    options: Options = Options(), queue: DispatchQueue? = nil,
    makeManager: (any CBPeripheralManagerDelegate, DispatchQueue) -> CBPeripheralManager = {
      CBPeripheralManager(delegate: $0, queue: $1)
    }
  ) {
    self.init(
      options: options, queue: queue, nextAnswer: BallAnswer.random, makeManager: makeManager)
  }

  init(
    options: Options, queue: DispatchQueue?, nextAnswer: @escaping @Sendable () -> BallAnswer,
    makeManager: (any CBPeripheralManagerDelegate, DispatchQueue) -> CBPeripheralManager
  ) {
    self.options = options
    self.nextAnswer = nextAnswer
    super.init(queue: queue)
    begin(with: makeManager(self, self.queue))
  }

  /// Sends a new answer to each subscribed central that has asked, as if the ball were shaken.
  public func shake() {
    queue.async { [self] in
      for asker in askers where asker.isSubscribed {
        if let question = asker.question { answer(asker, question, wording(nextAnswer())) }
      }
    }
  }

  let streams = EventStreams<Event>()
  let known = Locked<[BallAsker]>([])
  private let manager = Locked<CBPeripheralManager?>(nil)
  private let nextAnswer: @Sendable () -> BallAnswer

  // Replaced each time Bluetooth is powered on. Only the queue uses it.
  private(set) var answerCharacteristic: CBMutableCharacteristic?

  var cbManager: CBPeripheralManager? { manager.withLock(\.self) }

  /// Above this number of centrals, a new one replaces the oldest that is not subscribed.
  /// CoreBluetooth does not report that a central disconnects.
  private static let memory = 64

  /// Stores the CoreBluetooth manager. It may call its delegate before the initialiser has returned
  /// it.
  func begin(with made: CBPeripheralManager) { manager.withLock { $0 = made } }

  func asker(_ central: CBCentral) -> BallAsker {
    known.withLock {
      if let asker = $0.first(where: { $0.id == central.identifier }) { return asker }
      if $0.count >= Self.memory, let oldest = $0.firstIndex(where: { !$0.isSubscribed }) {
        $0.remove(at: oldest)
      }
      let asker = BallAsker(central, peripheral: self)
      $0.append(asker)
      return asker
    }
  }

  /// Adds the service with its two characteristics, in place of an earlier one.
  func publish() {
    guard let cbManager else { return }
    let question = CBMutableCharacteristic(
      type: BallProfile.question, properties: [.write, .writeWithoutResponse], value: nil,
      permissions: .writeable)
    let answer = CBMutableCharacteristic(
      type: BallProfile.answer, properties: [.read, .notify], value: nil, permissions: .readable)
    let service = CBMutableService(type: BallProfile.service, primary: true)
    service.characteristics = [question, answer]
    answerCharacteristic = answer
    cbManager.removeAllServices()
    cbManager.add(service)
  }

  /// A central has asked: answers now, or leaves that to an observer.
  func wasAsked(_ question: String, by asker: BallAsker) {
    asker.contents.withLock {
      $0.question = question
      $0.error = nil
    }
    for case let observer as any BallPeripheralObserver in observers {
      observer.ballPeripheral(self, wasAsked: question, by: asker)
    }
    streams.send(.asked(asker, question: question))
    if options.answersByItself { answer(asker, question, wording(nextAnswer())) }
  }

  func send(_ text: String, to asker: BallAsker, question: String) {
    queue.async { [self] in answer(asker, question, text) }
  }

  private func wording(_ answer: BallAnswer) -> String {
    options.answerStyle == .slug ? answer.slug : answer.text
  }

  private func answer(_ asker: BallAsker, _ question: String, _ text: String) {
    asker.contents.withLock { $0.answer = text }
    asker.pending = (text, question)
    notify(asker)
  }

  /// Notifies the waiting answer, if there is one and the central has subscribed.
  func notify(_ asker: BallAsker) {
    guard asker.isSubscribed, let pending = asker.pending, let answerCharacteristic, let cbManager
    else { return }
    // Without room it is sent later.
    guard
      cbManager.updateValue(
        Data(pending.answer.utf8), for: answerCharacteristic, onSubscribedCentrals: [asker.central])
    else { return }
    asker.pending = nil
    for case let observer as any BallPeripheralObserver in observers {
      observer.ballPeripheral(self, didSend: pending.answer, to: asker, question: pending.question)
    }
    streams.send(.answered(asker, answer: pending.answer, question: pending.question))
  }

  func fail(_ error: BallError, _ asker: BallAsker? = nil) {
    asker?.contents.withLock { $0.error = error }
    report(error, for: asker)
    streams.send(.failed(error, asker))
  }
}
