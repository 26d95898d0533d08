import BallTestSupport
import BluetoothHost
import Testing
import VirtualRadio

/// The handles of the ball's database, which never change.
enum Handles {
  static let deviceName = AttributeHandle(rawValue: 0x0003)
  static let manufacturer = AttributeHandle(rawValue: 0x0014)
  static let model = AttributeHandle(rawValue: 0x0016)
  static let firmware = AttributeHandle(rawValue: 0x0018)
  static let databaseHash = AttributeHandle(rawValue: 0x000F)
  static let question = AttributeHandle(rawValue: 0x001D)
  static let answer = AttributeHandle(rawValue: 0x001F)
  static let configuration = AttributeHandle(rawValue: 0x0020)
}

typealias Outcome = Result<OperationOutput, OperationError>

/// A central that a test controls step by step.
final class Phone: StageCentral {
  let radio: VirtualController
  let central: TestCentral
  var host: TestCentral { central }
  /// All its events.
  private(set) var events: [CentralEvent] = []
  /// The notifications of Answer, as text.
  private(set) var answers: [String] = []
  private(set) var outcomes: [OperationID: Outcome] = [:]
  /// The link that it has, or is connecting.
  var link: LinkID?
  private(set) var isConnected = false
  private(set) var failure: ConnectionFailure?
  private(set) var ending: HCIErrorCode?

  init(radio: VirtualController, configuration: HostConfiguration) {
    self.radio = radio
    central = TestCentral(configuration)
  }

  var mtu: Int { link.map { central.mtu(of: $0).byteCount } ?? 23 }

  /// The last report of each advertiser.
  func discovery(of address: DeviceAddress) -> Discovery? {
    for case .discovered(let discovery) in events.reversed() where discovery.address == address {
      return discovery
    }
    return nil
  }

  func forget() {
    events = []
    answers = []
  }

  func connect(to peer: DeviceAddress, timeout: UInt32? = nil, at now: Instant) {
    failure = nil
    ending = nil
    link = central.connect(to: peer, timeout: timeout, at: now)
  }

  func takeEvents() {
    while let event = central.nextEvent() {
      events.append(event)
      switch event {
      case .connected(link, _):
        isConnected = true
      case .connectionFailed(link, let why):
        failure = why
        link = nil
      case .disconnected(link, let why):
        ending = why
        isConnected = false
        link = nil
      case .completed(let operation, _, let result):
        outcomes[operation] = result
      case .notified(_, Handles.answer, let value):
        answers.append(String(decoding: value, as: UTF8.self))
      default:
        break
      }
    }
  }
}

extension Stage {
  /// A central whose controller is ready.
  func phone(
    controller: ControllerConfiguration = .init(),
    _ change: (inout HostConfiguration) -> Void = { _ in }
  ) -> Phone {
    var configuration = HostConfiguration.central
    change(&configuration)
    let phone = Phone(
      radio: air.addController(configuration: controller), configuration: configuration)
    add(phone)
    settle()
    return phone
  }

  /// A central that is connected to the ball, and has exchanged `mtu` if it is given.
  func connectedPhone(
    mtu: Int? = nil, controller: ControllerConfiguration = .init(),
    _ change: (inout HostConfiguration) -> Void = { _ in }
  ) throws -> Phone {
    let offer = try mtu.map { try #require(ATTMTU($0)) }
    let phone = phone(controller: controller) {
      $0.mtu = offer ?? .maximum
      change(&$0)
    }
    try connect(phone)
    if let offer { #expect(perform(.exchangeMTU, by: phone) == .success(.mtu(offer))) }
    return phone
  }

  func connect(_ phone: Phone) throws {
    phone.connect(to: ballAddress, at: now)
    run(within: 10_000) { phone.isConnected || phone.failure != nil }
    settle()
    try #require(phone.isConnected, "\(String(describing: phone.failure))")
  }

  func disconnect(_ phone: Phone) {
    guard let link = phone.link else { return }
    phone.central.disconnect(link)
    run(within: 5_000) { phone.link == nil }
    settle()
  }

  /// Carries out an operation, and everything after it that needs no time.
  func perform(_ operation: BallTestSupport.Operation, by phone: Phone) -> Outcome? {
    guard let link = phone.link else { return nil }
    let id = phone.central.perform(operation, on: link)
    run(within: 60_000) { phone.outcomes[id] != nil }
    settle()
    return phone.outcomes[id]
  }

  func subscribe(_ phone: Phone, _ configuration: ClientConfiguration = .notification) {
    let outcome = perform(.subscribe(Handles.configuration, configuration), by: phone)
    #expect(outcome == .success(.written))
  }

  func write(_ question: String, by phone: Phone) -> Outcome? {
    perform(.write(Handles.question, Array(question.utf8)), by: phone)
  }

  /// The value at `handle`, as text.
  func readText(_ handle: AttributeHandle, by phone: Phone) -> String? {
    guard case .success(.value(let bytes)) = perform(.read(handle), by: phone) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The refusal of a request.
func refused(
  _ opcode: ATTOpcode, _ handle: AttributeHandle, _ code: ATTErrorCode
) -> Outcome {
  .failure(.refused(ErrorResponse(request: opcode, handle: handle, code: code)))
}

/// The twenty texts, in the order of their slugs.
let texts = [
  "It is certain.", "It is decidedly so.", "Without a doubt.", "Yes – definitely.",
  "You may rely on it.", "As I see it, yes.", "Most likely.", "Outlook good.", "Yes.",
  "Signs point to yes.", "Reply hazy, try again.", "Ask again later.",
  "Better not tell you now.", "Cannot predict now.", "Concentrate and ask again.",
  "Don’t count on it.", "My reply is no.", "My sources say no.", "Outlook not so good.",
  "Very doubtful.",
]
