import CoreBluetooth
import Foundation

/// A Magic 8-Ball: advertises, takes questions, and answers them.
public final class BallPeripheral: BallManager, @unchecked Sendable {
  /// How an answer goes over the air.
  public enum AnswerStyle: Sendable {
    /// English text, which every app can show.
    case text
    /// `SLUG-ANSWER-00` to `SLUG-ANSWER-19`, which apps look up in their language.
    case slug
  }

  /// What a ball can be told at its beginning.
  public struct Options: Sendable {
    /// What it is called.
    public var localName = "8-Ball"
    /// How its answers go over the air.
    public var answerStyle = AnswerStyle.text
    /// Whether it answers each question by itself, at random; or leaves that to whoever observes it.
    public var answersByItself = true

    /// A ball called “8-Ball”, which answers by itself in English.
    public init() {}
  }

  /// What happens, for those who would rather read a sequence than be an observer.
  public enum Event: Sendable {
    /// Whether Bluetooth can be used has changed.
    case stateUpdated(isPoweredOn: Bool)
    /// It can be found.
    case advertising
    /// A question has come.
    case asked(BallAsker, question: String)
    /// An answer has been notified.
    case answered(BallAsker, answer: String, question: String)
    /// Something went wrong, with somebody if one is named.
    case failed(BallError, BallAsker?)
  }

  /// What it was told at its beginning.
  public let options: Options

  /// What it is called.
  public var localName: String { options.localName }

  /// Those who have asked, or listen.
  public var askers: [BallAsker] { known.current }

  /// What there is now, then what happens. Each reader has a sequence of its own.
  public var events: AsyncStream<Event> {
    streams.makeStream(on: queue) { [weak self] in
      guard let self, isPoweredOn else { return [] }
      return [.stateUpdated(isPoweredOn: true)]
        + (cbManager?.isAdvertising == true ? [.advertising] : [])
    }
  }

  /// A ball that begins to advertise as soon as Bluetooth can be used.
  ///
  /// - Parameters:
  ///   - queue: On which everything happens: a serial one; `nil` is the main queue.
  ///   - makeManager: Makes the CoreBluetooth manager below, for those who want it otherwise than
  ///     usual: it has to have this delegate and this queue.
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

  /// Gives everybody who listens and has asked a new answer, as if the ball were shaken.
  public func shake() {
    queue.async { [self] in
      for asker in askers where asker.isSubscribed {
        if let question = asker.question { answer(asker, question, wording(nextAnswer())) }
      }
    }
  }

  let streams = EventStreams<Event>()
  let known = Guarded<[BallAsker]>([])
  private let manager = Guarded<CBPeripheralManager?>(nil)
  private let nextAnswer: @Sendable () -> BallAnswer

  // Made anew each time Bluetooth comes. Touched on the queue alone.
  private(set) var answerCharacteristic: CBMutableCharacteristic?

  var cbManager: CBPeripheralManager? { manager.current }

  /// How many are remembered who no longer listen: CoreBluetooth does not tell who has gone.
  private static let memory = 64

  /// Takes its manager, which may tell of its state before the initialiser has got hold of it.
  func begin(with made: CBPeripheralManager) {
    manager { $0 = made }
  }

  func asker(_ central: CBCentral) -> BallAsker {
    known {
      if let asker = $0.first(where: { $0.id == central.identifier }) { return asker }
      if $0.count >= Self.memory, let oldest = $0.firstIndex(where: { !$0.isSubscribed }) {
        $0.remove(at: oldest)
      }
      let asker = BallAsker(central, peripheral: self)
      $0.append(asker)
      return asker
    }
  }

  /// Adds the service, with its two characteristics, to a manager that has none.
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

  /// A question has come: it is answered now, or by whoever observes.
  func wasAsked(_ question: String, by asker: BallAsker) {
    asker.contents {
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
    asker.contents { $0.answer = text }
    asker.pending = (text, question)
    notify(asker)
  }

  /// Notifies the answer that waits, if there is one and it can be.
  func notify(_ asker: BallAsker) {
    guard asker.isSubscribed, let pending = asker.pending, let answerCharacteristic,
      let cbManager
    else { return }
    // One that is not taken now is sent when there is room.
    guard
      cbManager.updateValue(
        Data(pending.answer.utf8), for: answerCharacteristic, onSubscribedCentrals: [asker.central])
    else { return }
    asker.pending = nil
    for case let observer as any BallPeripheralObserver in observers {
      observer.ballPeripheral(
        self, didSend: pending.answer, to: asker, question: pending.question)
    }
    streams.send(.answered(asker, answer: pending.answer, question: pending.question))
  }

  func fail(_ error: BallError, _ asker: BallAsker? = nil) {
    asker?.contents { $0.error = error }
    report(error, for: asker)
    streams.send(.failed(error, asker))
  }
}
