import BluetoothHost
import Expectations

/// A link's security, and the errors of attributes that require encryption or authentication; `nil`
/// for success.
private struct SecurityOutcome: CustomTestStringConvertible {
  let security: LinkSecurity
  let encrypted: UInt8?
  let authenticated: UInt8?

  var testDescription: String { "security \(security.rawValue)" }
}

/// Core Specification, Vol 3, Part C, 10.3.1.
private let outcomes = [
  SecurityOutcome(security: .none, encrypted: 0x05, authenticated: 0x05),
  SecurityOutcome(security: .bonded, encrypted: 0x0F, authenticated: 0x0F),
  SecurityOutcome(security: .encrypted, encrypted: nil, authenticated: 0x05),
  SecurityOutcome(security: .encrypted | .bonded, encrypted: nil, authenticated: 0x05),
  SecurityOutcome(security: .encrypted | .authenticated, encrypted: nil, authenticated: nil),
  SecurityOutcome(
    security: .encrypted | .authenticated | .secureConnections | .bonded, encrypted: nil,
    authenticated: nil),
]

/// The value at handle 3 requires encryption, and has a configuration at 4 and a descriptor at 5.
/// The value at 7 requires authentication, and that at 10 nothing; their configurations are at 8
/// and 11.
private func makeController(_ security: LinkSecurity) -> ScriptedServer<1, GATTDatabase<11>> {
  let database = GATTDatabase<11> {
    Service(.batteryService) {
      Characteristic(
        .batteryLevel, .read | .write | .writeWithoutResponse | .notify, value: .application(.text),
        protection: .readEncrypted | .writeEncrypted | .updateEncrypted
      ) {
        Attribute.descriptor(
          .characteristicUserDescription, .read, .text(StaticText("Level")),
          protection: .readEncrypted)
      }
      Characteristic(
        .batteryLevel, .read | .write | .notify | .indicate, value: .application(.level),
        protection: .readAuthenticated | .writeAuthenticated | .updateAuthenticated)
      Characteristic(.batteryLevel, .read | .notify, value: .application(.alert))
    }
  }
  let controller = ScriptedServer<1, GATTDatabase<11>>(database: database)
  controller.connect()
  controller.securityChanged(to: security, at: 0)
  return controller
}

@Suite("Attributes and the security that they require")
struct ProtectionTests {
  private func error(_ opcode: UInt8, _ handle: UInt8, _ code: UInt8) -> [UInt8] {
    [0x01, opcode, handle, 0x00, code]
  }

  @Test("Reads require the attribute's security", arguments: outcomes)
  private func reads(_ outcome: SecurityOutcome) {
    let controller = makeController(outcome.security)
    for (handle, code) in [(3, outcome.encrypted), (7, outcome.authenticated), (10, nil)]
      as [(UInt8, UInt8?)]
    {
      controller.exchange(
        [0x0A, handle, 0x00], gives: code.map { error(0x0A, handle, $0) } ?? [0x0B])
      controller.exchange(
        [0x0C, handle, 0x00, 0x00, 0x00], gives: code.map { error(0x0C, handle, $0) } ?? [0x0D])
      controller.exchange(
        [0x0E, handle, 0x00, 10, 0x00], gives: code.map { error(0x0E, handle, $0) } ?? [0x0F])
      controller.exchange(
        [0x20, handle, 0x00, 10, 0x00],
        gives: code.map { error(0x20, handle, $0) } ?? [0x21, 0, 0, 0, 0])
    }
    controller.exchange(
      [0x0A, 5, 0x00],
      gives: outcome.encrypted.map { error(0x0A, 5, $0) } ?? [0x0B] + Array("Level".utf8))
  }

  @Test("Writes require the attribute's security", arguments: outcomes)
  private func writes(_ outcome: SecurityOutcome) {
    let controller = makeController(outcome.security)
    for (handle, code) in [(3, outcome.encrypted), (7, outcome.authenticated)] as [(UInt8, UInt8?)]
    {
      controller.exchange(
        [0x12, handle, 0x00, 0x48], gives: code.map { error(0x12, handle, $0) } ?? [0x13])
      controller.exchange(
        [0x16, handle, 0x00, 0x00, 0x00, 0x48],
        gives: code.map { error(0x16, handle, $0) } ?? [0x17, handle, 0x00, 0x00, 0x00, 0x48])
      let values = controller.application.values
      expect(values[handle == 3 ? 0 : 1], is: code == nil ? [0x48] : [])
    }
  }

  @Test("A Write Command to a protected attribute is ignored")
  func commands() {
    let controller = makeController(.none)
    expect(controller.exchange([0x52, 3, 0x00, 0x48]), is: [])
    expect(controller.application.values[0], is: [])
    controller.securityChanged(to: .encrypted, at: 0)
    expect(controller.exchange([0x52, 3, 0x00, 0x48]), is: [])
    expect(controller.application.values[0], is: [0x48])
  }

  @Test("Subscriptions require the security of their value", arguments: outcomes)
  private func subscriptions(_ outcome: SecurityOutcome) {
    let controller = makeController(outcome.security)
    controller.exchange(
      [0x12, 4, 0x00, 0x01, 0x00], gives: outcome.encrypted.map { error(0x12, 4, $0) } ?? [0x13])
    controller.exchange(
      [0x12, 8, 0x00, 0x02, 0x00],
      gives: outcome.authenticated.map { error(0x12, 8, $0) } ?? [0x13])
    // The configuration can always be read.
    controller.exchange([0x0A, 4, 0x00], gives: [0x0B, outcome.encrypted == nil ? 1 : 0, 0x00])
  }

  @Test("Discovery needs no security")
  func discovery() {
    let controller = makeController(.none)
    controller.exchange(
      [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28],
      gives: [0x09, 7, 2, 0, 0x1E, 3, 0, 0x19, 0x2A, 6, 0, 0x3A, 7, 0, 0x19, 0x2A, 9, 0, 0x12]
        + [10, 0, 0x19, 0x2A])
  }
}

private let encrypted: LinkSecurity = .encrypted | .bonded
private let authenticated: LinkSecurity = .encrypted | .authenticated | .bonded

private let scenarios: [HostScenario] = [
  Scenario(
    "Without encryption, subscriptions to protected values end, and the application is notified",
    .subscribe(4, 1), .subscribe(8, 1), .subscribe(11, 1),
    .notify(
      [.text, .level, .alert], [0x1B, 3, 0, 0x48], [0x1B, 7, 0, 0x48], [0x1B, 10, 0, 0x48]),
    .secure(.bonded), .notify([.text, .level, .alert], [0x1B, 10, 0, 0x48]),
    .lastEvents(.configured(.text, 0, .none), .configured(.level, 0, .none)),
    .exchange([0x0A, 4, 0x00], gives: [0x0B, 0x00, 0x00]),
    // Encryption alone does not restore the subscriptions: the bond does.
    .secure(authenticated), .notify([.text, .level, .alert], [0x1B, 10, 0, 0x48])),
  Scenario(
    "A key without authentication still serves values that require only encryption",
    .subscribe(4, 1), .subscribe(8, 1), .subscribe(11, 1), .secure(encrypted),
    .notify([.text, .level, .alert], [0x1B, 3, 0, 0x48], [0x1B, 10, 0, 0x48]),
    .exchange([0x0A, 7, 0x00], gives: [0x01, 0x0A, 7, 0x00, 0x05])),
  Scenario(
    "Removing a bond keeps the subscriptions of an encrypted link",
    on: { makeController(encrypted) },
    .exchange([0x12, 4, 0x00, 0x01, 0x00], gives: [0x13]), .secure(.encrypted),
    .notify([.text], [0x1B, 3, 0, 0x48])),
  Scenario(
    "Parts prepared on an encrypted link are not executed without encryption",
    on: { makeController(encrypted) },
    .exchange([0x16, 3, 0x00, 0x00, 0x00, 0x48], gives: [0x17, 3, 0x00, 0x00, 0x00, 0x48]),
    .secure(.bonded), .exchange([0x18, 0x01], gives: [0x01, 0x18, 3, 0x00, 0x0F]),
    .also { expect($0.application.values[0], is: []) },
    // The queue is empty.
    .secure(encrypted), .execute(), .also { expect($0.application.values[0], is: []) }),
  Scenario(
    "A deferred read is refused when the link has lost its protection",
    on: { makeController(encrypted) },
    .set(application: \.values[0], [0x48]), .set(application: \.isBusy, true),
    .ignore([0x0A, 3, 0x00]), .secure(.bonded), .forget, .resume,
    .frames([0x01, 0x0A, 3, 0x00, 0x0F])),
  Scenario(
    "Requests for several values return no protected value", on: { makeController(.none) },
    .also { host in for index in 0..<3 { host.application.values[index] = [0x48] } },
    .exchange([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A], gives: [0x01, 0x08, 3, 0x00, 0x05]),
    // A protected value after readable ones ends the list.
    .exchange([0x08, 0x08, 0x00, 0xFF, 0xFF, 0x19, 0x2A], gives: [0x09, 3, 10, 0x00, 0x48]),
    .exchange([0x0E, 10, 0x00, 3, 0x00], gives: [0x01, 0x0E, 3, 0x00, 0x05]),
    .exchange([0x20, 10, 0x00, 7, 0x00], gives: [0x01, 0x20, 7, 0x00, 0x05]),
    // A search for a value finds no protected one.
    .exchange([0x06, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A, 0x48], gives: [0x07, 10, 0x00, 10, 0x00])),
]

/// A link that loses its encryption, or gets a key that protects less.
///
/// Core Specification, Vol 3, Part C, 10.3.1.
@Suite("A link that loses its protection")
struct ProtectionLossTests {
  @Test("The link loses its protection, or had none", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws {
    try scenario.run(on: makeController(authenticated))
  }
}

extension Step where Subject == ScriptedController {
  fileprivate static func secure(_ security: LinkSecurity) -> Step {
    Step { host in host.run { host.securityChanged(to: security) } }
  }

  /// The application updates each of these attributes, and the host sends the PDUs.
  fileprivate static func notify(
    _ attributes: [ApplicationAttribute], _ pdus: [UInt8]...,
    at line: SourceLocation = #_sourceLocation
  ) -> Step {
    check(pdus, line) { host in
      defer { host.application.updates = [] }
      return attributes.flatMap { attribute in
        host.forgetWhatWasSent()
        host.update(attribute, [0x48])
        return host.frames.map(\.payload)
      }
    }
  }
}
