import BluetoothHost
import LinuxTestSupport
import Testing
import VirtualRadio

@testable import CoreBluetooth

/// Two devices of this module. One protects its values.
@Suite("A central pairs unasked, and a peripheral protects its values")
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

  @Test("A read refused for lack of encryption is repeated over an encrypted link")
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

  @Test("A subscription refused for lack of encryption is repeated over an encrypted link")
  func subscribe() throws {
    let stage = try SafeStage()
    let link = stage.connect()
    #expect(
      stage.perform(.configure(SafeStage.notifiedRange, .notification), on: link)
        == .success(.configured(SafeStage.notifiedRange.start)))
    #expect(stage.protection(stage.central) == Self.strongBond)
  }

  @Test("An unprotected value is read without pairing")
  func open() throws {
    let stage = try SafeStage()
    let link = stage.connect()
    #expect(stage.perform(.read(SafeStage.openHandle), on: link) == .success(.value([1])))
    #expect(stage.protection(stage.central) == .none)
    #expect(stage.central.program.device.bonds.count == 0)
  }

  @Test("A peripheral that refuses to pair keeps refusing, and the link stays")
  func peripheralRefuses() throws {
    let stage = try SafeStage()
    stage.peripheral.program.device.setPairing(.refused)
    let link = stage.connect()
    for _ in 0..<2 { #expect(stage.read(on: link) == refused(.insufficientAuthentication)) }
    #expect(stage.perform(.read(SafeStage.openHandle), on: link) == .success(.value([1])))
  }

  @Test("A central that refuses to pair reports the peripheral's refusal, and does not try")
  func centralRefuses() throws {
    let stage = try SafeStage()
    stage.central.program.device.setPairing(.refused)
    let link = stage.connect()
    #expect(stage.read(on: link) == refused(.insufficientAuthentication))
    #expect(stage.protection(stage.peripheral) == .none)
  }

  @Test("A bond encrypts the next link before any request, also after a loss of the radio")
  func bond() throws {
    let stage = try SafeStage()
    stage.disconnect(stage.connectAndPair())
    let prompts = Locked(0)
    for seat in [stage.central, stage.peripheral] {
      seat.program.device.setPairing(
        CBPairing(ability: .none) { _ in prompts.withLock { $0 += 1 } })
    }
    stage.central.program.device.renew()
    stage.central.program.radioIsReady(at: stage.bench.now)
    stage.run(for: 1_000)
    let link = stage.connect()
    // The MTU is exchanged first. The link is then encrypted.
    _ = stage.perform(.exchangeMTU, on: link)
    #expect(stage.protection(stage.central) == Self.strongBond)
    #expect(stage.read(on: link) == Self.secret)
    #expect(prompts.withLock(\.self) == 0)
  }

  @Test("A peripheral that has lost its bond is not trusted: the link ends with that reason")
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
    let error = CBError(LinkEnd.encryptionFailed(.pinOrKeyMissing))
    #expect(error.code == .peerRemovedPairingInformation)
    // Only a program or its user deletes a bond.
    #expect(stage.central.program.device.bonds.count == 1)
    stage.central.program.device.removeBond(SafeStage.address(1))
    #expect(stage.read(on: stage.connect()) == Self.secret)
  }

  @Test("A central that has lost its bond pairs again")
  func forgetfulCentral() throws {
    let stage = try SafeStage()
    stage.disconnect(stage.connectAndPair())
    stage.central.program.device.removeBond(SafeStage.address(1))
    // The peripheral has a key, but the central does not use it: Insufficient Encryption.
    #expect(stage.read(on: stage.connect()) == Self.secret)
    #expect(stage.protection(stage.peripheral) == Self.strongBond)
  }

  @Test(
    "A device without Secure Connections uses legacy pairing, and the bond protects the next link"
  )
  func legacy() throws {
    let stage = try SafeStage()
    stage.peripheral.program.device.host.security.policy.secureConnections = .notOffered
    stage.disconnect(stage.connectAndPair())
    let link = stage.connect()
    #expect(stage.read(on: link) == Self.secret)
    #expect(stage.protection(stage.central) == .encrypted | .bonded)
  }

  @Test("Several peripherals are paired one after the other, though all are read at once")
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

  @Test("Channels of several peripherals wait for the pairings of each other")
  func severalChannels() throws {
    let stage = try SafeStage(peripherals: 3)
    let spsm = try #require(SPSM(0x80))
    for seat in stage.peripherals {
      seat.program.device.channels.listeners[spsm] = DeviceChannels.Listener(
        client: PeripheralHandle(queue: DevicePairing.queue), needsEncryption: true,
        makePipe: { ChannelPipe { _ in } })
    }
    let links = (1...3).map { stage.connect(to: $0) }
    let central = stage.central.program.central
    let pipes = links.map { _ in ChannelPipe { _ in } }
    let openings = zip(links, pipes).map { central.openChannel(spsm, $1, on: $0) }
    stage.run(for: 60_000) {
      openings.allSatisfy { stage.central.program.outcomes[$0] != nil }
    }
    for opening in openings {
      #expect(stage.central.program.outcomes[opening] == .success(.channel(nil)))
    }
    #expect(stage.central.program.device.bonds.count == 3)
  }

  @Test("The end of the link during pairing ends the operation")
  func lostWhilePairing() throws {
    let stage = try SafeStage()
    let link = stage.connect()
    stage.central.radio.faults.loseLink(afterPackets: 3)
    #expect(stage.read(on: link) == .failure(.disconnected))
    #expect(stage.central.program.device.bonds.count == 0)
  }

  @Test(
    "With a bond on the peripheral: Insufficient Encryption; without: Insufficient Authentication"
  )
  func errorCodes() throws {
    let stage = try SafeStage()
    stage.disconnect(stage.connectAndPair())
    // The central deletes its bond and refuses to pair: the peripheral's error is reported.
    let device = stage.central.program.device
    device.removeBond(SafeStage.address(1))
    device.setPairing(.refused)
    let link = stage.connect()
    #expect(stage.read(on: link) == refused(.insufficientEncryption))
    #expect(
      stage.perform(.subscribe(SafeStage.notifiedRange.start, .notification), on: link)
        == refused(.insufficientEncryption, .writeRequest, SafeStage.notifiedRange.start))
    stage.peripheral.program.device.removeBond(SafeStage.address(0))
    #expect(stage.read(on: link) == refused(.insufficientAuthentication))
  }
}
