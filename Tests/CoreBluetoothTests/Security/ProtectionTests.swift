import BluetoothHost
import Expectations

@testable import CoreBluetooth

/// A central whose peer refuses each request, whatever the link's security.
@Suite("A central protects a link once for each refused request")
struct ProtectionTests {
  /// The bond with the peer.
  enum Key: CaseIterable {
    case none, unauthenticated, authenticated
  }

  struct Case: CustomTestStringConvertible {
    let key: Key
    let ability: CBPairing.Ability?
    /// Whether the link becomes encrypted after the first refusal, and not before.
    var isLate = false
    /// The number of requests, and of pairings.
    let requests: Int
    let pairings: Int

    var pairing: CBPairing {
      ability.map { CBPairing(ability: $0) { $0.answer(true) } } ?? .refused
    }
    var testDescription: String {
      "key \(key), ability \(ability.map { "\($0)" } ?? "refused"), late \(isLate)"
    }
  }

  static let cases = [
    Case(key: .none, ability: nil, requests: 1, pairings: 0),
    Case(key: .none, ability: CBPairing.Ability.none, requests: 1, pairings: 1),
    Case(key: .none, ability: .displayYesNo, requests: 1, pairings: 1),
    // Pairing again without a user cannot protect against a man in the middle.
    Case(key: .unauthenticated, ability: nil, requests: 1, pairings: 0),
    Case(key: .unauthenticated, ability: CBPairing.Ability.none, requests: 1, pairings: 0),
    Case(key: .unauthenticated, ability: .displayYesNo, requests: 1, pairings: 1),
    // The link cannot be protected any better.
    Case(key: .authenticated, ability: nil, requests: 1, pairings: 0),
    Case(key: .authenticated, ability: .displayYesNo, requests: 1, pairings: 0),
    // A request is repeated once the link is encrypted.
    Case(key: .unauthenticated, ability: nil, isLate: true, requests: 2, pairings: 0),
    Case(key: .unauthenticated, ability: .displayYesNo, isLate: true, requests: 2, pairings: 0),
    Case(key: .authenticated, ability: .displayYesNo, isLate: true, requests: 2, pairings: 0),
  ]

  /// A device with a link to a peer that accepts the key and refuses everything else.
  private final class Stage {
    let radio: ScriptedRadio
    let link: LinkID
    /// What the controller reports when the host encrypts the link.
    private var isHeld: Bool
    private(set) var encryptions = 0
    private(set) var pairings = 0
    private(set) var requests = 0

    init(_ row: Case, status: UInt8 = 0, code: UInt8 = 5) {
      let bonds = RadioBonds()
      if row.key != .none {
        bonds.store(
          Bond(
            identityAddress: .numbered(2), longTermKey: Number128(words: [1, 2, 3, 4]),
            isAuthenticated: row.key == .authenticated, isSecureConnections: true,
            role: .initiator))
      }
      radio = ScriptedRadio(Seat(bonds: bonds, isRecorded: true))
      isHeld = row.isLate
      radio.device.setPairing(row.pairing)
      radio.device.radioIsReady(at: radio.now)
      radio.run()
      link = radio.host.central.connect(to: .numbered(2))
      radio.answer(.leEnableEncryption) { [unowned self] opcode, _ in
        encryptions += 1
        return [ScriptedRadio.status(opcode)] + (isHeld ? [] : [changed(status)])
      }
      radio.peer = { [unowned self] pdu in
        guard pdu[0] == 0x0A else { return [] }
        requests += 1
        return [[0x01, 0x0A, pdu[1], pdu[2], code]]
      }
      radio.others = { [unowned self] channel, payload in
        // Pairing Request: Pairing Failed, Pairing Not Supported.
        if channel == 6, payload[0] == 0x01 {
          pairings += 1
          return [[0x05, 0x05]]
        }
        guard channel == 5, payload[0] == 0x14 else { return [] }
        requests += 1
        // No channel, MTU, MPS or credits, and the result.
        return [[0x15, payload[1], 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, code, 0]]
      }
      radio.run()
    }

    var central: CentralRecorder { radio.host.central }
    var outcomes: [OperationID: Result<OperationOutput, OperationError>] { radio.host.outcomes }

    func read() -> OperationID { central.perform(.read(handle(3)), on: link) }

    func openChannel() throws -> OperationID {
      central.openChannel(try #require(SPSM(0x80)), ChannelPipe { _ in }, on: link)
    }

    /// Encryption Change.
    private func changed(_ status: UInt8) -> [UInt8] {
      [0x04, 0x08, 4, status] + little(radio.lastHandle) + [status == 0 ? 1 : 0]
    }

    /// The controller reports the encryption that it has held back.
    func release() {
      guard isHeld else { return }
      isHeld = false
      radio.give(changed(0))
      radio.run()
    }
  }

  @Test(
    "A channel or a value that the peer refuses however protected the link is",
    // A value is not requested before the link is encrypted: see `waits`.
    arguments: cases.map { ($0, true) } + cases.filter { !$0.isLate }.map { ($0, false) })
  func refused(_ row: Case, isChannel: Bool) throws {
    for code in isChannel ? [0x05, 0x08] : [0x05, 0x0F] as [UInt8] {
      let stage = Stage(row, code: code)
      let operation = try isChannel ? stage.openChannel() : stage.read()
      stage.radio.run()
      stage.release()
      let refusal = ErrorResponse(
        request: .readRequest, handle: handle(3), code: ATTErrorCode(rawValue: code))
      let result = LECreditBasedConnectionResult(rawValue: UInt16(code))
      expect(
        stage.outcomes[operation],
        is: isChannel ? .success(.channel(.refused(result))) : .failure(.refused(refusal)))
      expect(stage.requests == row.requests && stage.pairings == row.pairings)
      expect(stage.encryptions, is: row.key == .none ? 0 : 1)
      expect(stage.radio.host.links, is: [stage.link])
    }
  }

  @Test("A value is not requested while the link is being encrypted")
  func waits() {
    let row = Case(key: .authenticated, ability: nil, isLate: true, requests: 1, pairings: 0)
    let stage = Stage(row)
    _ = stage.read()
    stage.radio.run()
    expect(stage.encryptions == 1 && stage.requests == 0)
    stage.release()
    expect(stage.requests, is: 1)
  }

  /// The peer's refusal, for a channel.
  private static let refusal = ChannelEnd.refused(.insufficientAuthentication)

  @Test("The end of a pairing decides the requests that wait for it")
  func pairingEnds() throws {
    let peerDecides: [PairingOutcome] = [
      .failed(.passkeyEntryFailed), .noRoom, .refused(.passkeyEntryFailed), .linkLost,
    ]
    let rows: [(PairingOutcome, HCIErrorCode?)] =
      peerDecides.map { ($0, nil) } + [
        (.timedOut, .connectionTimeout), (.encryptionFailed(.pinOrKeyMissing), .pinOrKeyMissing),
      ]
    for (outcome, reason) in rows {
      let row = Case(key: .none, ability: CBPairing.Ability.none, requests: 2, pairings: 1)
      let stage = Stage(row)
      // The peer does not respond to the Pairing Request.
      let others = stage.radio.others
      stage.radio.others = { channel, payload in channel == 6 ? [] : others(channel, payload) }
      let read = stage.read()
      let channels = try (0..<2).map { _ in try stage.openChannel() }
      stage.radio.run()
      expect(stage.outcomes.isEmpty)
      stage.central.engine.pairingEnded(outcome, at: 0)
      stage.radio.run()
      let response = ErrorResponse(
        request: .readRequest, handle: handle(3), code: .insufficientAuthentication)
      expect(
        stage.outcomes[read],
        is: .failure(reason.map { .encryptionFailed($0) } ?? .refused(response)), "\(outcome)")
      for channel in channels {
        expect(
          stage.outcomes[channel],
          is: reason.map { .failure(.encryptionFailed($0)) } ?? .success(.channel(Self.refusal)),
          "\(outcome)")
      }
    }
  }

  @Test("A channel is requested again after a pairing, even if the link is protected as before")
  func pairedAsBefore() throws {
    let stage = Stage(Case(key: .unauthenticated, ability: .displayYesNo, requests: 1, pairings: 0))
    let link = try #require(stage.central.link(stage.link))
    let operation = try stage.openChannel()
    let request = try #require(link.requests.last)
    request.step = .asked
    request.isRepeated = true
    request.protection = Protection(
      refusal: .success(.channel(Self.refusal)),
      before: stage.radio.device.host.security.security(at: 0), isAsked: true)
    stage.radio.run()
    expect(stage.requests, is: 0)
    stage.central.engine.pairingEnded(.paired(nil), at: 0)
    stage.radio.run()
    expect(stage.requests, is: 1)
    expect(stage.outcomes[operation], is: .success(.channel(Self.refusal)))
  }

  @Test("A value is requested again after a pairing, even if the link is protected as before")
  func valuePairedAsBefore() throws {
    let stage = Stage(Case(key: .unauthenticated, ability: .displayYesNo, requests: 2, pairings: 0))
    var requests = 0
    stage.radio.peer = { _ in
      requests += 1
      return []
    }
    let link = try #require(stage.central.link(stage.link))
    let read = stage.read()
    stage.radio.run()
    link.active?.protection = Protection(
      refusal: .failure(.tooLong(limit: 0)),
      before: stage.radio.device.host.security.security(at: 0), isAsked: true)
    stage.central.engine.pairingEnded(.paired(nil), at: 0)
    stage.radio.givePDU([0x0B])
    expect(requests, is: 2)
    stage.radio.givePDU([0x0B, 0x42])
    expect(stage.outcomes[read], is: .success(.value([0x42])))
  }

  @Test("Other refusals do not protect the link")
  func otherRefusals() throws {
    let row = Case(key: .none, ability: .displayYesNo, requests: 1, pairings: 0)
    for code in [0x02, 0x04, 0x06, 0x07] as [UInt8] {
      let stage = Stage(row, code: code)
      let (channel, read) = (try stage.openChannel(), stage.read())
      stage.radio.run()
      expect(stage.outcomes[channel] != nil && stage.outcomes[read] != nil)
      expect(stage.requests == 2 && stage.pairings == 0)
    }
  }

  @Test("A link that the bond's key does not encrypt ends at once, with that reason")
  func keyMissing() {
    let row = Case(key: .unauthenticated, ability: nil, requests: 0, pairings: 0)
    let stage = Stage(row, status: 0x06)
    expect(stage.encryptions, is: 1)
    expect(stage.radio.commands.contains(.disconnect))
    expect(
      stage.radio.takeEvents().last,
      is: .disconnected(stage.link, .encryptionFailed(.pinOrKeyMissing)))
  }
}
