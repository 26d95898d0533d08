import BluetoothHost
import Testing

/// A link that loses its encryption, or gets a key that protects less.
///
/// Core Specification, Vol 3, Part C, 10.3.1.
@Suite("A link that loses its protection")
struct ProtectionLossTests {
  private let encrypted: LinkSecurity = .encrypted | .bonded
  private let authenticated: LinkSecurity = .encrypted | .authenticated | .bonded

  /// The values at handles 3, 6 and 9 require encryption, authentication and nothing. Each has its
  /// configuration at the next handle.
  private func makeController(_ security: LinkSecurity) -> ScriptedHost<1, GATTDatabase<10>> {
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
    let controller = ScriptedHost<1, GATTDatabase<10>>(database: database)
    controller.connect()
    controller.host.server.securityChanged(to: security, at: 0)
    return controller
  }

  private func change(
    _ controller: ScriptedHost<1, GATTDatabase<10>>, to security: LinkSecurity
  ) {
    controller.host.server.securityChanged(to: security, at: 0)
    controller.run()
  }

  private func update(
    _ controller: ScriptedHost<1, GATTDatabase<10>>, _ attributes: [ApplicationAttribute]
  ) -> [[UInt8]] {
    var notified: [[UInt8]] = []
    for attribute in attributes {
      controller.forgetWhatWasSent()
      controller.update(attribute, [0x48])
      notified += controller.frames.map(\.payload)
    }
    controller.host.server.application.updates = []
    return notified
  }

  private func subscribe(_ controller: ScriptedHost<1, GATTDatabase<10>>) {
    for handle in [4, 7, 10] as [UInt8] {
      controller.expect([0x12, handle, 0x00, 0x01, 0x00], gives: [0x13])
    }
  }

  @Test(
    "Without encryption, subscriptions to protected values end, and the application is notified"
  )
  func unencrypted() {
    let controller = makeController(authenticated)
    subscribe(controller)
    let all: [ApplicationAttribute] = [.text, .level, .alert]
    #expect(
      update(controller, all) == [[0x1B, 3, 0, 0x48], [0x1B, 6, 0, 0x48], [0x1B, 9, 0, 0x48]])
    change(controller, to: .bonded)
    #expect(update(controller, all) == [[0x1B, 9, 0, 0x48]])
    #expect(
      controller.host.server.application.events.suffix(2) == [
        .configured(.text, 0, .none), .configured(.level, 0, .none),
      ])
    controller.expect([0x0A, 4, 0x00], gives: [0x0B, 0x00, 0x00])
    // Encryption alone does not restore the subscriptions: the bond does.
    change(controller, to: authenticated)
    #expect(update(controller, all) == [[0x1B, 9, 0, 0x48]])
  }

  @Test("A key without authentication still serves values that require only encryption")
  func unauthenticated() {
    let controller = makeController(authenticated)
    subscribe(controller)
    change(controller, to: encrypted)
    #expect(
      update(controller, [.text, .level, .alert]) == [[0x1B, 3, 0, 0x48], [0x1B, 9, 0, 0x48]])
    controller.expect([0x0A, 6, 0x00], gives: [0x01, 0x0A, 6, 0x00, 0x05])
  }

  @Test("Removing a bond keeps the subscriptions of an encrypted link")
  func bondRemoved() {
    let controller = makeController(encrypted)
    controller.expect([0x12, 4, 0x00, 0x01, 0x00], gives: [0x13])
    change(controller, to: .encrypted)
    #expect(update(controller, [.text]) == [[0x1B, 3, 0, 0x48]])
  }

  @Test("Parts prepared on an encrypted link are not executed without encryption")
  func prepared() {
    let controller = makeController(encrypted)
    controller.expect(
      [0x16, 3, 0x00, 0x00, 0x00, 0x48], gives: [0x17, 3, 0x00, 0x00, 0x00, 0x48])
    change(controller, to: .bonded)
    controller.expect([0x18, 0x01], gives: [0x01, 0x18, 3, 0x00, 0x0F])
    #expect(controller.host.server.application.values[0] == [])
    // The queue is empty.
    change(controller, to: encrypted)
    controller.expect([0x18, 0x01], gives: [0x19])
    #expect(controller.host.server.application.values[0] == [])
  }

  @Test("A deferred read is refused when the link has lost its protection")
  func putOff() {
    let controller = makeController(encrypted)
    controller.host.server.application.values[0] = [0x48]
    controller.host.server.application.isBusy = true
    #expect(controller.exchange([0x0A, 3, 0x00]) == [])
    change(controller, to: .bonded)
    controller.forgetWhatWasSent()
    controller.resume()
    #expect(controller.frames.map(\.payload) == [[0x01, 0x0A, 3, 0x00, 0x0F]])
  }

  @Test("Requests for several values return no protected value")
  func several() {
    let controller = makeController(.none)
    for index in 0..<3 { controller.host.server.application.values[index] = [0x48] }
    controller.expect(
      [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A], gives: [0x01, 0x08, 3, 0x00, 0x05])
    // A protected value after readable ones ends the list.
    controller.expect(
      [0x08, 0x07, 0x00, 0xFF, 0xFF, 0x19, 0x2A], gives: [0x09, 3, 9, 0x00, 0x48])
    controller.expect([0x0E, 9, 0x00, 3, 0x00], gives: [0x01, 0x0E, 3, 0x00, 0x05])
    controller.expect([0x20, 9, 0x00, 6, 0x00], gives: [0x01, 0x20, 6, 0x00, 0x05])
    // A search for a value finds no protected one.
    controller.expect(
      [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A, 0x48], gives: [0x07, 9, 0x00, 9, 0x00])
  }
}
