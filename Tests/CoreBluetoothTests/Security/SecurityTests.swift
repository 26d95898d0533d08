import BluetoothHost
import Expectations
import LinuxTestSupport
import VirtualRadio

@testable import CoreBluetooth

@Suite("A central pairs unasked, and a peripheral protects its values")
struct SecurityTests {
  private static let secret = Result<OperationOutput, OperationError>.success(
    .value(SafeScene.secret))
  private let scene: SafeScene
  private static let strongBond: LinkSecurity = .encrypted | .secureConnections | .bonded

  init() throws { scene = try SafeScene() }

  private func refused(
    _ code: ATTErrorCode, _ request: ATTOpcode = .readRequest,
    _ handle: AttributeHandle = SafeScene.secretHandle
  ) -> Result<OperationOutput, OperationError> {
    .failure(.refused(ErrorResponse(request: request, handle: handle, code: code)))
  }

  @Test("A subscription refused for lack of encryption is repeated over an encrypted link")
  func subscribe() throws {
    let link = scene.connect()
    expect(
      scene.perform(.configure(SafeScene.notifiedRange, .notification), on: link),
      is: .success(.configured(SafeScene.notifiedRange.start)))
    expect(scene.protection(scene.central), is: Self.strongBond)
  }

  @Test("An unprotected value is read without pairing")
  func open() throws {
    expect(
      scene.perform(.read(SafeScene.openHandle), on: scene.connect()), is: .success(.value([1])))
    expect(scene.protection(scene.central), is: .none)
    expect(scene.central.device.bonds.count, is: 0)
  }

  @Test("A peripheral that refuses to pair keeps refusing, and the link stays")
  func peripheralRefuses() throws {
    scene.peripheral.device.setPairing(.refused)
    let link = scene.connect()
    for _ in 0..<2 { expect(scene.read(on: link), is: refused(.insufficientAuthentication)) }
    expect(scene.perform(.read(SafeScene.openHandle), on: link), is: .success(.value([1])))
  }

  @Test("A bond encrypts the next link before any request, also after a loss of the radio")
  func bond() throws {
    scene.disconnect(scene.connectAndPair())
    let prompts = Locked(0)
    for seat in [scene.central, scene.peripheral] {
      seat.device.setPairing(CBPairing(ability: .none) { _ in prompts.withLock { $0 += 1 } })
    }
    scene.central.device.renew()
    scene.central.device.radioIsReady(at: scene.bench.now)
    scene.run(for: 1_000)
    let link = scene.connect()
    // The MTU is exchanged first. The link is then encrypted.
    _ = scene.perform(.exchangeMTU, on: link)
    expect(scene.protection(scene.central), is: Self.strongBond)
    expect(scene.read(on: link), is: Self.secret)
    expect(prompts.withLock(\.self), is: 0)
  }

  @Test("A central that has lost its bond pairs again")
  func forgetfulCentral() throws {
    scene.disconnect(scene.connectAndPair())
    scene.central.device.removeBond(SafeScene.address(1))
    // The peripheral has a key, but the central does not use it: Insufficient Encryption.
    expect(scene.read(on: scene.connect()), is: Self.secret)
    expect(scene.protection(scene.peripheral), is: Self.strongBond)
  }

  @Test("Several peripherals are paired one after the other, though all are used at once")
  func several() throws {
    let scene = try SafeScene(peripherals: 3)
    let spsm = try #require(SPSM(0x80))
    for seat in scene.peripherals {
      seat.device.channels.listeners[spsm] = DeviceChannels.Listener(
        client: PeripheralHandle(queue: DevicePairing.queue), needsEncryption: true,
        makePipe: { ChannelPipe { _ in } })
    }
    let links = (1...3).map { scene.connect(to: $0) }
    let central = scene.central.central
    let pipes = links.map { _ in ChannelPipe { _ in } }
    let openings = zip(links, pipes).map { central.openChannel(spsm, $1, on: $0) }
    // A channel waits for the pairing of another link, and so does a read.
    let reads = links.map { central.perform(.read(SafeScene.secretHandle), on: $0) }
    scene.run(for: 60_000) { (openings + reads).allSatisfy { scene.central.outcomes[$0] != nil } }
    for read in reads { expect(scene.central.outcomes[read], is: Self.secret) }
    for opening in openings { expect(scene.central.outcomes[opening], is: .success(.channel(nil))) }
    expect(scene.central.device.bonds.count, is: 3)
  }

  @Test("The end of the link during pairing ends the operation")
  func lostWhilePairing() throws {
    let link = scene.connect()
    scene.central.controller.faults.loseLink(afterPackets: 3)
    expect(scene.read(on: link), is: .failure(.disconnected))
    expect(scene.central.device.bonds.count, is: 0)
  }

  @Test(
    "With a bond on the peripheral: Insufficient Encryption; without: Insufficient Authentication")
  func errorCodes() throws {
    scene.disconnect(scene.connectAndPair())
    // The central deletes its bond and refuses to pair: the peripheral's error is reported.
    let device = scene.central.device
    device.removeBond(SafeScene.address(1))
    device.setPairing(.refused)
    let link = scene.connect()
    expect(scene.read(on: link), is: refused(.insufficientEncryption))
    expect(
      scene.perform(.subscribe(SafeScene.notifiedRange.start, .notification), on: link),
      is: refused(.insufficientEncryption, .writeRequest, SafeScene.notifiedRange.start))
    scene.peripheral.device.removeBond(SafeScene.address(0))
    expect(scene.read(on: link), is: refused(.insufficientAuthentication))
    expect(scene.protection(scene.peripheral), is: .none)
  }
}
