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

@Suite("Attributes and the security that they require")
struct ProtectionTests {
  /// The value at handle 3 requires encryption, and has a configuration at 4 and a descriptor at 5.
  /// The value at 7 requires authentication, and has a configuration at 8. The value at 10 requires
  /// nothing.
  private func makeController(_ security: LinkSecurity) -> ScriptedServer<1, GATTDatabase<10>> {
    let database = GATTDatabase<10> {
      Service(.batteryService) {
        Characteristic(
          .batteryLevel, .read | .write | .writeWithoutResponse | .notify,
          value: .application(ApplicationAttribute(rawValue: 0)),
          protection: .readEncrypted | .writeEncrypted | .updateEncrypted
        ) {
          Attribute.descriptor(
            .characteristicUserDescription, .read, .text(StaticText("Level")),
            protection: .readEncrypted)
        }
        Characteristic(
          .batteryLevel, .read | .write | .indicate,
          value: .application(ApplicationAttribute(rawValue: 1)),
          protection: .readAuthenticated | .writeAuthenticated | .updateAuthenticated)
        Characteristic(.batteryLevel, .read, value: .application(ApplicationAttribute(rawValue: 2)))
      }
    }
    let controller = ScriptedServer<1, GATTDatabase<10>>(database: database)
    controller.connect()
    controller.securityChanged(to: security, at: 0)
    return controller
  }

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
      gives: [0x09, 7, 2, 0, 0x1E, 3, 0, 0x19, 0x2A, 6, 0, 0x2A, 7, 0, 0x19, 0x2A, 9, 0, 2, 10, 0]
        + [0x19, 0x2A])
  }
}
