import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("Pairing asks the users")
struct PromptTests {
  /// One user: what was asked, and how the pairings ended.
  private final class User: Sendable {
    let ends = Locked<[(any Error)?]>([])
    let requests = Locked<[CBPairingRequest]>([])

    var prompts: [CBPairing.Prompt] { requests.withLock { $0.map(\.prompt) } }
    var peers: [UUID] { requests.withLock { $0.map(\.peer) } }

    func pairing(
      _ ability: CBPairing.Ability, requiresUser: Bool = false,
      answer: @escaping @Sendable (CBPairingRequest) -> Void = { $0.answer(true) }
    ) -> CBPairing {
      CBPairing(
        ability: ability, requiresUser: requiresUser,
        ended: { _, error in self.ends.withLock { $0.append(error) } },
        ask: { request in
          self.requests.withLock { $0.append(request) }
          answer(request)
        })
    }
  }

  private let central = User()
  private let peripheral = User()

  private func scene(_ first: CBPairing, _ second: CBPairing) throws -> SafeScene {
    let scene = try SafeScene()
    for (seat, pairing) in [(scene.central, first), (scene.peripheral, second)] {
      seat.device.setPairing(pairing)
    }
    return scene
  }

  /// Reads the secret, and lets the ends of the pairing be reported.
  private func readAndWait(_ scene: SafeScene) -> Result<OperationOutput, OperationError>? {
    defer { scene.run(for: 1_000) }
    return scene.read(on: scene.connect())
  }

  private func expectPaired(
    _ scene: SafeScene, _ result: Result<OperationOutput, OperationError>?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expect(result, is: .success(.value(SafeScene.secret)), sourceLocation: sourceLocation)
    for seat in [scene.central, scene.peripheral] {
      expect(scene.protection(seat).contains(.authenticated), sourceLocation: sourceLocation)
    }
    for user in [central, peripheral] {
      let ends = user.ends.withLock(\.self)
      expect(ends.count == 1 && ends.first.flatMap(\.self) == nil, sourceLocation: sourceLocation)
    }
  }

  @Test("Both see the same six digits, and the peer's identifier")
  func comparison() throws {
    let scene = try scene(central.pairing(.displayYesNo), peripheral.pairing(.displayYesNo))
    expectPaired(scene, readAndWait(scene))
    expect(central.prompts, is: peripheral.prompts)
    guard case .compare(let digits)? = central.prompts.first else {
      Issue.record("\(central.prompts)")
      return
    }
    expect(digits.count == 6 && digits.allSatisfy(\.isNumber))
    expect(central.peers, is: [UUID(SafeScene.address(1))])
    expect(peripheral.peers, is: [UUID(SafeScene.address(0))])
  }

  @Test("A user who says that the digits differ ends the pairing", arguments: [true, false])
  func different(isCentral: Bool) throws {
    let scene = try scene(
      central.pairing(.displayYesNo) { $0.answer(!isCentral) },
      peripheral.pairing(.displayYesNo) { $0.answer(isCentral) })
    let error = ErrorResponse(
      request: .readRequest, handle: SafeScene.secretHandle, code: .insufficientAuthentication)
    expect(readAndWait(scene), is: .failure(.refused(error)))
    for user in [central, peripheral] {
      let ends = user.ends.withLock(\.self)
      expect(ends.count, is: 1)
      expect((ends.first.flatMap(\.self) as? CBATTError)?.code, is: .insufficientAuthentication)
    }
    expect(scene.central.device.bonds.count, is: 0)
  }

  @Test("One device shows a passkey, and the other's user types it")
  func passkey() throws {
    let shown = Locked("")
    let scene = try scene(
      central.pairing(.keyboard) { request in
        if request.prompt == .enterPasskey {
          expect(!request.enter("12345"))
          expect(!request.enter("12345a"))
          expect(request.enter(shown.withLock(\.self)))
        }
      },
      peripheral.pairing(.display) { request in
        if case .showPasskey(let digits) = request.prompt { shown.withLock { $0 = digits } }
      })
    expectPaired(scene, readAndWait(scene))
    expect(central.prompts, is: [.enterPasskey])
    expect(peripheral.prompts, is: [.showPasskey(shown.withLock(\.self))])
  }

  @Test("A user without a display is asked whether to pair")
  func confirm() throws {
    let scene = try scene(central.pairing(.none), .automatic)
    _ = readAndWait(scene)
    expect(central.prompts, is: [.confirm])
    expect(scene.protection(scene.central).contains(.encrypted))
    expect(!scene.protection(scene.central).contains(.authenticated))
  }

  @Test("An answer to an earlier prompt does not count for the next")
  func lateAnswer() throws {
    let scene = try scene(
      central.pairing(.displayYesNo) { _ in }, peripheral.pairing(.displayYesNo) { _ in })
    let link = scene.connect()
    var read = scene.central.central.perform(.read(SafeScene.secretHandle), on: link)
    // The peripheral's user refuses the first time.
    for isEqual in [false, true] {
      scene.run(for: 1_000)
      peripheral.requests.withLock(\.last)?.answer(isEqual)
      scene.run(for: 1_000)
      if isEqual { break }
      expect(scene.central.outcomes[read] != nil)
      read = scene.central.central.perform(.read(SafeScene.secretHandle), on: link)
    }
    let requests = central.requests.withLock(\.self)
    try #require(requests.count == 2)
    requests[0].answer(true)
    scene.run(for: 1_000)
    expect(scene.central.outcomes[read], is: nil)
    requests[1].answer(true)
    scene.run(for: 1_000)
    expect(scene.central.outcomes[read], is: .success(.value(SafeScene.secret)))
  }

  @Test("A device that requires its user does not pair with one that never asks")
  func requiresUser() throws {
    let scene = try scene(central.pairing(.displayYesNo, requiresUser: true), .automatic)
    let result = scene.read(on: scene.connect())
    guard case .failure(.refused)? = result else {
      Issue.record("\(String(describing: result))")
      return
    }
    expect(scene.central.device.bonds.count, is: 0)
  }

  @Test("Without an answer the pairing ends after 30 s, and a later answer has no effect")
  func silence() throws {
    let scene = try scene(
      central.pairing(.displayYesNo) { _ in }, peripheral.pairing(.displayYesNo))
    expect(scene.read(on: scene.connect()), is: .failure(.encryptionFailed(.connectionTimeout)))
    for request in central.requests.withLock(\.self) { request.answer(true) }
    scene.run(for: 1_000)
    expect(scene.protection(scene.central), is: .none)
    let ends = central.ends.withLock(\.self)
    expect((ends.first.flatMap(\.self) as? CBError)?.code, is: .encryptionTimedOut)
  }
}
