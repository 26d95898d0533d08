import BallTestSupport
import BluetoothHost
import Expectations

/// Whether a value's memory contains the bytes, also in unused parts.
private func memory<Value: ~Copyable>(of value: inout Value, holds secret: [UInt8]) -> Bool {
  let bytes = unsafe withUnsafeBytes(of: &value) { unsafe Array($0) }
  guard bytes.count >= secret.count else { return false }
  return (0...bytes.count - secret.count).contains { start in
    bytes[start] == secret[0] && Array(bytes[start..<start + secret.count]) == secret
  }
}

/// The bytes of a number in memory.
private func bytes<let wordCount: Int>(_ number: WideNumber<wordCount>) -> [UInt8] {
  written { number.write(to: &$0) }
}

@Suite("Pairing secrets in memory")
struct PairingSecretsTests {
  @Test("A completed pairing leaves no secrets in memory", arguments: PairingCase.all)
  func wiped(way: PairingCase) throws {
    let pipe = way.begin(
      PairingEnd(P256KeyAgreement(), FixedRandom(seed: 1)),
      PairingEnd(P256KeyAgreement(), FixedRandom(seed: 2)))
    var encryptionKeys: [[UInt8]] = []
    pipe.onEncryption = { encryptionKeys.append(bytes($0)) }
    pipe.run()
    let initiator = try #require(pipe.initiator.bond)
    let responder = try #require(pipe.responder.bond)
    expect(initiator.longTermKey, is: responder.longTermKey, "the curve gives both the same key")
    var secrets = encryptionKeys + [bytes(initiator.longTermKey)]
    secrets += [initiator, responder].compactMap { $0.identityResolvingKey.map { bytes($0) } }
    if way.isSecureConnections {
      // Each end generates its private key first.
      let privateKeys = [1, 2].map { (seed: UInt64) -> Number256 in
        var random = FixedRandom(seed: seed)
        return random.nextNumber()
      }
      secrets += privateKeys.map { bytes($0) }
      secrets.append(bytes(try sharedKey(privateKeys[0], with: publicKey(of: privateKeys[1]))))
    }
    for secret in secrets {
      expect(!memory(of: &pipe.initiator.pairing, holds: secret), "\(secret)")
      expect(!memory(of: &pipe.responder.pairing, holds: secret), "\(secret)")
    }
  }

  /// A pairing under way, and the private key that it holds.
  private func underWay() -> (end: PairingEnd<P256KeyAgreement, FixedRandom>, key: [UInt8]) {
    let end = PairingEnd(P256KeyAgreement(), FixedRandom(seed: 1))
    end.initiate(
      PairingPolicy(ioCapability: .keyboardOnly), identity: initiatorIdentity,
      response: [0x02, 2, 0, 0x0D, 16, 0, 0])
    var random = FixedRandom(seed: 1)
    let privateKey: Number256 = random.nextNumber()
    expect(memory(of: &end.pairing, holds: bytes(privateKey)), "while it is needed")
    return (end, bytes(privateKey))
  }

  @Test("A failed pairing leaves no secrets in memory")
  func failed() {
    let (end, privateKey) = underWay()
    end.pairing.linkLost()
    end.collect()
    expect(!memory(of: &end.pairing, holds: privateKey))
    expect(!memory(of: &end.pairing, holds: bytes(initiatorIdentity.identityResolvingKey)))
  }

  @Test("The next pairing leaves no secrets of an unfinished one in memory")
  func begunAgain() {
    let (end, privateKey) = underWay()
    end.pairing.begin(
      .initiator, policy: PairingPolicy(ioCapability: .keyboardOnly), identity: nil, at: at(0))
    end.collect()
    expect(!memory(of: &end.pairing, holds: privateKey))
    // It begins with the first step, and without the PDUs of the other one.
    expect(end.pairing.needsStep, is: false)
    expect(end.nextPDU()?.first, is: 0x01)
    expect(end.nextPDU(), is: nil)
  }

  @Test("The manager erases a key that the controller has")
  func givenKey() throws {
    let central = SecurityStation(
      PairingPolicy(secureConnections: .notOffered), identity: initiatorIdentity, seed: 1)
    let peripheral = SecurityStation(identity: responderIdentity, seed: 2)
    central.pairs(with: peripheral)
    // The short term key is in no bond.
    guard case .key(let key) = peripheral.replies.first else {
      Issue.record("no key was given")
      return
    }
    expect(!memory(of: &peripheral.manager, holds: bytes(key)))
    expect(!memory(of: &central.manager, holds: bytes(key)))
    let bond = try #require(peripheral.bond())
    expect(memory(of: &peripheral.manager, holds: bytes(bond.longTermKey)), "the bond has its key")
  }

  @Test("The table erases removed and replaced bonds")
  func table() {
    var table = BondTable<2>()
    func bond(_ number: UInt32) -> Bond {
      Bond(
        identityAddress: .staticRandom([UInt8(number), 0, 0, 0, 0, 0]),
        longTermKey: Number128(words: [number, 11, 12, 13]),
        identityResolvingKey: Number128(words: [number, 21, 22, 23]), isAuthenticated: false,
        isSecureConnections: true, role: .responder)
    }
    for number: UInt32 in 1...3 { table.store(bond(number)) }
    expect(memory(of: &table, holds: bytes(bond(2).longTermKey)))
    expect(!memory(of: &table, holds: bytes(bond(1).longTermKey)))
    table.remove(at: 0)
    table.remove(at: 0)
    for number: UInt32 in 1...3 {
      expect(!memory(of: &table, holds: bytes(bond(number).longTermKey)))
      expect(!memory(of: &table, holds: Array(bytes(bond(number).identityResolvingKey ?? .zero))))
    }
  }
}
