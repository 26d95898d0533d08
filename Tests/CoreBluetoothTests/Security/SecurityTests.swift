import BluetoothHost
import LinuxTestSupport
import Testing
import VirtualRadio

@testable import CoreBluetooth

/// Two devices of this module, one of which protects its values.
@Suite("A central pairs by itself, and a peripheral protects its values")
struct SecurityTests {
  private static let secret = Result<OperationOutput, OperationError>.success(
    .value(SafeStage.secret))
  private static let strongBond: LinkSecurity = .encrypted | .secureConnections | .bonded

  private func refused(
    _ code: ATTErrorCode, _ request: ATTOpcode = .readRequest,
    _ handle: AttributeHandle = SafeStage.secretHandle
  ) -> Result<OperationOutput, OperationError> {
    .failure(.refused(ErrorResponse(request: request, handle: handle, code: code)))
  }

  @Test("A read that is refused for want of encryption is repeated over an encrypted link")
  func read() throws {
    let stage = try SafeStage()
    let link = stage.connect()
    #expect(stage.protection(stage.central) == .none)
    #expect(stage.read(on: link) == Self.secret)
    for seat in [stage.central, stage.peripheral] {
      #expect(stage.protection(seat) == Self.strongBond)
      #expect(seat.program.device.bonds.count == 1)
    }
  }

  @Test("So is a subscription")
  func subscribe() throws {
    let stage = try SafeStage()
    let link = stage.connect()
    #expect(
      stage.perform(.configure(SafeStage.news, .notification), on: link)
        == .success(.configured(SafeStage.news.start)))
    #expect(stage.protection(stage.central) == Self.strongBond)
  }

  @Test("A value that is for everybody is read without pairing")
  func open() throws {
    let stage = try SafeStage()
    let link = stage.connect()
    #expect(stage.perform(.read(SafeStage.openHandle), on: link) == .success(.value([1])))
    #expect(stage.protection(stage.central) == .none)
    #expect(stage.central.program.device.bonds.count == 0)
  }

  @Test("A peripheral that refuses to pair goes on refusing, and the link stays")
  func peripheralRefuses() throws {
    let stage = try SafeStage()
    let device = stage.peripheral.program.device
    device.pairing.settings.withLock { $0 = .refused }
    device.updatePolicy()
    let link = stage.connect()
    for _ in 0..<2 { #expect(stage.read(on: link) == refused(.insufficientAuthentication)) }
    #expect(stage.perform(.read(SafeStage.openHandle), on: link) == .success(.value([1])))
  }

  @Test("A central that refuses to pair gets the peripheral's refusal, and does not try")
  func centralRefuses() throws {
    let stage = try SafeStage()
    let device = stage.central.program.device
    device.pairing.settings.withLock { $0 = .refused }
    device.updatePolicy()
    let link = stage.connect()
    #expect(stage.read(on: link) == refused(.insufficientAuthentication))
    #expect(stage.protection(stage.peripheral) == .none)
  }

  @Test("A bond encrypts the next link before anything is asked, also after the radio was lost")
  func bond() throws {
    let stage = try SafeStage()
    stage.disconnect(stage.connectAndPair())
    let prompts = Locked(0)
    for seat in [stage.central, stage.peripheral] {
      seat.program.device.pairing.settings.withLock {
        $0 = CBPairing(ability: .none) { _ in prompts.withLock { $0 += 1 } }
      }
      seat.program.device.updatePolicy()
    }
    stage.central.program.device.renew()
    stage.central.program.radioIsReady(at: stage.air.now)
    stage.run(for: 1_000)
    let link = stage.connect()
    // The MTU is agreed on first, and encrypts the link.
    _ = stage.perform(.exchangeMTU, on: link)
    #expect(stage.protection(stage.central) == Self.strongBond)
    #expect(stage.read(on: link) == Self.secret)
    #expect(prompts.withLock(\.self) == 0)
  }

  @Test("A peripheral that has lost its bond is not believed: the link ends, and says why")
  func lostBond() throws {
    let stage = try SafeStage()
    stage.disconnect(stage.connectAndPair())
    stage.peripheral.program.device.removeBond(SafeStage.address(0))
    let link = stage.connect()
    #expect(stage.perform(.read(SafeStage.openHandle), on: link) == .failure(.disconnected))
    stage.run(for: 1_000)
    #expect(
      stage.central.program.events.contains(
        .disconnected(link, .encryptionFailed(.pinOrKeyMissing))))
    #expect(CBError(.encryptionFailed(.pinOrKeyMissing)).code == .peerRemovedPairingInformation)
    // Only a program, or its user, forgets a bond.
    #expect(stage.central.program.device.bonds.count == 1)
    stage.central.program.device.removeBond(SafeStage.address(1))
    #expect(stage.read(on: stage.connect()) == Self.secret)
  }

  @Test("A central that has lost its bond pairs anew")
  func forgetfulCentral() throws {
    let stage = try SafeStage()
    stage.disconnect(stage.connectAndPair())
    stage.central.program.device.removeBond(SafeStage.address(1))
    // The peripheral has a key for the link, which the central does not use: Insufficient Encryption.
    #expect(stage.read(on: stage.connect()) == Self.secret)
    #expect(stage.protection(stage.peripheral) == Self.strongBond)
  }

  @Test(
    "With a device without Secure Connections the old pairing protects the link, and its bond the next"
  )
  func legacy() throws {
    let stage = try SafeStage()
    stage.peripheral.program.device.host.security.policy.secureConnections = .notOffered
    stage.disconnect(stage.connectAndPair())
    let link = stage.connect()
    #expect(stage.read(on: link) == Self.secret)
    #expect(stage.protection(stage.central) == .encrypted | .bonded)
  }

  @Test("Several peripherals are paired with one after the other, though all are asked at once")
  func several() throws {
    let stage = try SafeStage(peripherals: 3)
    let links = (1...3).map { stage.connect(to: $0) }
    let central = stage.central.program.central
    let reads = links.map { central.perform(.read(SafeStage.secretHandle), on: $0) }
    stage.run(for: 60_000) {
      reads.allSatisfy { stage.central.program.outcomes[$0] != nil }
    }
    for read in reads { #expect(stage.central.program.outcomes[read] == Self.secret) }
    #expect(stage.central.program.device.bonds.count == 3)
  }

  @Test("A link that ends while it pairs ends the operation")
  func lostWhilePairing() throws {
    let stage = try SafeStage()
    let link = stage.connect()
    stage.central.radio.faults.loseLink(afterPackets: 3)
    #expect(stage.read(on: link) == .failure(.disconnected))
    #expect(stage.central.program.device.bonds.count == 0)
  }

  @Test(
    "A bond of nobody's name on the peripheral: Insufficient Encryption; without, Insufficient Authentication"
  )
  func errorCodes() throws {
    let stage = try SafeStage()
    stage.disconnect(stage.connectAndPair())
    // The central forgets, and pairs with nobody: it sees what the peripheral says.
    let device = stage.central.program.device
    device.removeBond(SafeStage.address(1))
    device.pairing.settings.withLock { $0 = .refused }
    device.updatePolicy()
    let link = stage.connect()
    #expect(stage.read(on: link) == refused(.insufficientEncryption))
    #expect(
      stage.perform(.subscribe(SafeStage.news.start, .notification), on: link)
        == refused(.insufficientEncryption, .writeRequest, SafeStage.news.start))
    stage.peripheral.program.device.removeBond(SafeStage.address(0))
    #expect(stage.read(on: link) == refused(.insufficientAuthentication))
  }
}
