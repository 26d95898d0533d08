import BluetoothHost

/// A central that is connected, as the engine knows it. Used on the radio's thread alone.
final class ServedCentral: @unchecked Sendable {
  /// A value that it is to be told of.
  struct Update {
    let handle: UInt16
    let value: [UInt8]
  }

  /// What a central reads: a value from one of its bytes on.
  struct Reading: Hashable {
    let handle: UInt16
    let offset: Int
  }

  /// What it is for those who use the API.
  let central: CBCentral
  /// The handles of the values that it is told of.
  var subscriptions: Set<UInt16> = []
  /// What it has yet to be told, oldest first.
  var updates: [Update] = []

  /// What it waits for; `nil` if it does not.
  var question: PeripheralQuestion?
  /// The values that one request reads, as far as they are known: a request may read several.
  var readings: [Reading: Result<[UInt8], ATTErrorCode>] = [:]
  /// How its write has been answered, once it has been.
  var verdict: Result<Void, ATTErrorCode>?
  /// The values that the PDU just received has written so far.
  var written: [(handle: UInt16, value: [UInt8])] = []

  init(_ central: CBCentral) {
    self.central = central
  }

  /// The request has been answered, and nothing is left of it.
  func forgetRequest() {
    question = nil
    readings = [:]
    verdict = nil
  }
}

/// Something that a central waits for, and that delegates have been asked. Used on the radio's thread
/// alone.
final class PeripheralQuestion: @unchecked Sendable {
  let link: ServedCentral
  /// The handles that it is about.
  let handles: [UInt16]
  /// What is read; `nil` for a write.
  let reading: ServedCentral.Reading?
  /// How many managers have yet to answer.
  var missing = 0
  /// Why a write is refused: what the first of them said that was not success.
  var refusal: ATTErrorCode?

  init(_ link: ServedCentral, _ handles: [UInt16], reading: ServedCentral.Reading? = nil) {
    self.link = link
    self.handles = handles
    self.reading = reading
  }
}

/// One manager's part in a question: what ties a `CBATTRequest` to it.
final class RequestTicket: Sendable {
  let client: PeripheralClient
  /// `nil` for a command, which is not answered.
  let question: PeripheralQuestion?
  private let isAnswered = Locked(false)

  init(_ client: PeripheralClient, _ question: PeripheralQuestion?) {
    self.client = client
    self.question = question
  }

  /// Whether this is the first answer.
  func takeAnswer() -> Bool {
    isAnswered.withLock { isAnswered in
      defer { isAnswered = true }
      return !isAnswered
    }
  }
}
