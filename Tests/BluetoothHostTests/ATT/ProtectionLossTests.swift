import BluetoothHost
import Expectations

private let encrypted: LinkSecurity = .encrypted | .bonded

private let authenticated: LinkSecurity = .encrypted | .authenticated | .bonded

/// The values at handles 3, 6 and 9 require encryption, authentication and nothing. Each has its
/// configuration at the next handle.
private func makeController(_ security: LinkSecurity) -> ScriptedServer<1, GATTDatabase<10>> {
  let database = GATTDatabase<10> {
    Service(.batteryService) {
      Characteristic(
        .batteryLevel, .read | .write | .notify, value: .application(.text),
        protection: .readEncrypted | .writeEncrypted | .updateEncrypted)
      Characteristic(
        .batteryLevel, .read | .write | .notify, value: .application(.level),
        protection: .readAuthenticated | .writeAuthenticated | .updateAuthenticated)
      Characteristic(.batteryLevel, .read | .notify, value: .application(.alert))
    }
  }
  let controller = ScriptedServer<1, GATTDatabase<10>>(database: database)
  controller.connect()
  controller.securityChanged(to: security, at: 0)
  return controller
}

private let scenarios: [HostScenario] = [
  Scenario(
    "Without encryption, subscriptions to protected values end, and the application is notified",
    .subscribe(4, 1), .subscribe(7, 1), .subscribe(10, 1),
    .notify(
      [.text, .level, .alert], [0x1B, 3, 0, 0x48], [0x1B, 6, 0, 0x48], [0x1B, 9, 0, 0x48]),
    .secure(.bonded), .notify([.text, .level, .alert], [0x1B, 9, 0, 0x48]),
    .lastEvents(.configured(.text, 0, .none), .configured(.level, 0, .none)),
    .exchange([0x0A, 4, 0x00], gives: [0x0B, 0x00, 0x00]),
    // Encryption alone does not restore the subscriptions: the bond does.
    .secure(authenticated), .notify([.text, .level, .alert], [0x1B, 9, 0, 0x48])),
  Scenario(
    "A key without authentication still serves values that require only encryption",
    .subscribe(4, 1), .subscribe(7, 1), .subscribe(10, 1), .secure(encrypted),
    .notify([.text, .level, .alert], [0x1B, 3, 0, 0x48], [0x1B, 9, 0, 0x48]),
    .exchange([0x0A, 6, 0x00], gives: [0x01, 0x0A, 6, 0x00, 0x05])),
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
    .exchange([0x08, 0x07, 0x00, 0xFF, 0xFF, 0x19, 0x2A], gives: [0x09, 3, 9, 0x00, 0x48]),
    .exchange([0x0E, 9, 0x00, 3, 0x00], gives: [0x01, 0x0E, 3, 0x00, 0x05]),
    .exchange([0x20, 9, 0x00, 6, 0x00], gives: [0x01, 0x20, 6, 0x00, 0x05]),
    // A search for a value finds no protected one.
    .exchange([0x06, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A, 0x48], gives: [0x07, 9, 0x00, 9, 0x00])),
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
