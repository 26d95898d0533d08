import BluetoothHost
import EightBall

/// The user of a central, who says yes.
struct CentralUser: PairingDelegate {
  var hasPrompt = false

  mutating func show(_ prompt: PairingPrompt, at index: Int) {
    if case .compareNumber = prompt { hasPrompt = true }
  }
  mutating func pairingEnded(_ outcome: PairingOutcome, at index: Int) { hasPrompt = false }
  mutating func securityChanged(to security: LinkSecurity, at index: Int) {}
  mutating func encryptionFailed(_ reason: HCIErrorCode, at index: Int) {}
}

/// The application of a central's client: writes its question, and keeps what happens for the central.
struct AskingClient: ClientApplication {
  /// The handles of the ball's database.
  struct Handles {
    let question: AttributeHandle
    let answer: AttributeHandle
    let configuration: AttributeHandle

    init() {
      let database = EightBallProfile.makeDatabase()
      question = database.location(of: .question).handle
      answer = database.location(of: .answer).handle
      configuration = AttributeHandle(rawValue: answer.rawValue + 1)
    }
  }

  enum Event {
    case connected, disconnected, failed
    case ended(OperationError?)
    /// A notification of Answer came; whether it is one of the twenty, or the beginning of one.
    case answered(isWhole: Bool)
  }

  /// The length of a question in bytes: at most 20 fit into one request.
  let length: Int
  var isStatement = false
  /// The advertised data that its scan has not found.
  var missingData: [[UInt8]] = []
  private(set) var eventCount = 0
  private var events: [Event] = []
  private let handles: Handles

  init(_ handles: Handles, length: Int) {
    self.handles = handles
    self.length = length
  }

  func event(at index: Int) -> Event { events[index] }
  mutating func removeEvents() {
    events.removeAll(keepingCapacity: true)
    eventCount = 0
  }
  private mutating func add(_ event: Event) {
    events.append(event)
    eventCount += 1
  }

  mutating func received(_ report: borrowing AdvertisingReport) {
    guard report.completeness == .complete else { return }
    for index in missingData.indices where report.data.isEqual(to: missingData[index]) {
      missingData.remove(at: index)
      return
    }
  }
  mutating func connected(at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role) {
    add(.connected)
  }
  mutating func disconnected(at index: Int, reason: HCIErrorCode) { add(.disconnected) }
  mutating func connectionFailed(_ reason: HCIErrorCode) { add(.failed) }
  mutating func ended(_ operation: ClientOperation, with error: OperationError?, at index: Int) {
    add(.ended(error))
  }
  func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {
    while value.freeCapacity > 1 { value.write(UInt8(ascii: "a")) }
    value.write(UInt8(ascii: isStatement ? "." : "?"))
  }
  mutating func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {
    guard handle == handles.answer else { return }
    add(.answered(isWhole: Self.answers.contains { Self.isAnswer(value, $0) }))
  }

  /// The texts of the twenty answers.
  private static let answers: [[UInt8]] = (0..<Answer.count).compactMap(Answer.init).map { answer in
    var text = ByteBuffer<64>()
    text.write { answer.text.writePrefix(to: &$0) }
    return Array(copying: text.span)
  }

  /// Whether `value` is the text, or at least 20 bytes of it: a short MTU cuts it.
  private static func isAnswer(_ value: Span<UInt8>, _ text: [UInt8]) -> Bool {
    guard value.count == text.count || value.count >= 20 && value.count < text.count else {
      return false
    }
    for index in value.indices where value[index] != text[index] { return false }
    return true
  }
}
