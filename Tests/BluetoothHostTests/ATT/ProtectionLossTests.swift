import BluetoothHost
import Testing

/// A link that loses its encryption half-way, or whose new key protects less.
///
/// Core Specification, Vol 3, Part C, 10.3.1.
@Suite("A link that is protected no longer")
struct ProtectionLossTests {
  private let encrypted: LinkSecurity = .encrypted | .bonded
  private let authenticated: LinkSecurity = .encrypted | .authenticated | .bonded

  /// Handles 1 to 10: the service; a value at 3 that wants encryption, its configuration at 4; one at 6 that
  /// wants authentication, its configuration at 7; one at 9 that wants nothing, its configuration at 10.
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
      controller.host.server.application.updates = [
        .init(place: 0, attribute: attribute, value: [0x48])
      ]
      controller.run()
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

  @Test("Nothing protected is notified without encryption, and the application learns of it")
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
    // It does not come back by itself: that is for the bond to say.
    change(controller, to: authenticated)
    #expect(update(controller, all) == [[0x1B, 9, 0, 0x48]])
  }

  @Test("A key without authentication leaves the values that do not want it")
  func unauthenticated() {
    let controller = makeController(authenticated)
    subscribe(controller)
    change(controller, to: encrypted)
    #expect(
      update(controller, [.text, .level, .alert]) == [[0x1B, 3, 0, 0x48], [0x1B, 9, 0, 0x48]])
    controller.expect([0x0A, 6, 0x00], gives: [0x01, 0x0A, 6, 0x00, 0x05])
  }

  @Test("A bond that is removed does not end what an encrypted link is subscribed to")
  func bondRemoved() {
    let controller = makeController(encrypted)
    controller.expect([0x12, 4, 0x00, 0x01, 0x00], gives: [0x13])
    change(controller, to: .encrypted)
    #expect(update(controller, [.text]) == [[0x1B, 3, 0, 0x48]])
  }

  @Test("Parts of a value that were prepared on an encrypted link are not executed on another")
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

  @Test("A read that was put off is refused when the link is protected no longer")
  func putOff() {
    let controller = makeController(encrypted)
    controller.host.server.application.values[0] = [0x48]
    controller.host.server.application.isBusy = true
    #expect(controller.exchange([0x0A, 3, 0x00]) == [])
    change(controller, to: .bonded)
    controller.host.server.application.isBusy = false
    controller.forgetWhatWasSent()
    controller.host.resume(at: 0)
    controller.run()
    #expect(controller.frames.map(\.payload) == [[0x01, 0x0A, 3, 0x00, 0x0F]])
  }

  @Test("Requests for several values do not give a protected one")
  func several() {
    let controller = makeController(.none)
    for index in 0..<3 { controller.host.server.application.values[index] = [0x48] }
    controller.expect(
      [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A], gives: [0x01, 0x08, 3, 0x00, 0x05])
    // One behind those that may be read ends the list.
    controller.expect(
      [0x08, 0x07, 0x00, 0xFF, 0xFF, 0x19, 0x2A], gives: [0x09, 3, 9, 0x00, 0x48])
    controller.expect([0x0E, 9, 0x00, 3, 0x00], gives: [0x01, 0x0E, 3, 0x00, 0x05])
    controller.expect([0x20, 9, 0x00, 6, 0x00], gives: [0x01, 0x20, 6, 0x00, 0x05])
    // A search for a value finds no protected one.
    controller.expect(
      [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A, 0x48], gives: [0x07, 9, 0x00, 9, 0x00])
  }
}
