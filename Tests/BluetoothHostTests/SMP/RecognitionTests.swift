import BallTestSupport
import BluetoothHost
import Testing

extension SecurityStation {
  fileprivate var hasChangedBonds: Bool { manager.bonds.isChanged }
  fileprivate var activeClients: ConnectionSet { manager.activeClients }
}

/// Core Specification, Vol 3, Part G, 2.5.2.1.
@Suite("The records of bonded clients")
struct RecognitionTests {
  private let central = SecurityStation(identity: initiatorIdentity, seed: 1)
  private let peripheral = SecurityStation(identity: responderIdentity, seed: 2)

  private func record(_ features: UInt8) -> ClientRecord {
    ClientRecord(
      databaseHash: DatabaseHash(bytes: InlineArray(repeating: 1)), isChangeAware: true,
      features: features, serviceChanged: .indication, subscriptions: ClientConfigurations())
  }

  private func recognition() -> ClientRecognition? { peripheral.manager.takeRecognition(at: 0) }

  private func isChanged() -> Bool { peripheral.manager.takeChange(of: ClientState(), at: 0) }

  private var isActive: Bool { peripheral.activeClients.contains(0) }

  private func pair() {
    #expect(central.pair())
    central.run()
  }

  private func reconnect() {
    central.disconnect()
    central.connect(to: peripheral)
  }

  @Test("A client is recognised once, after its link is encrypted with the key of its bond")
  func once() {
    central.connect(to: peripheral)
    #expect(recognition() == nil)
    pair()
    #expect(recognition() == .new)
    #expect(recognition() == nil)
    peripheral.manager.save(record(1), at: 0)
    #expect(peripheral.bond()?.client == record(1))
    reconnect()
    #expect(recognition() == nil, "bonded, and not encrypted")
    #expect(central.secure())
    central.run()
    #expect(recognition() == .known(record(1)))
    #expect(recognition() == nil)
    // Encryption ends, and begins again.
    peripheral.manager.encryptionChanged(.success, isEncrypted: false, at: 0, at: peripheral.now)
    #expect(!isActive)
    #expect(recognition() == nil)
    central.manager.encryptionChanged(.success, isEncrypted: false, at: 0, at: central.now)
    #expect(central.secure())
    central.run()
    #expect(recognition() == .known(record(1)))
  }

  @Test("A new encryption with the same key does not make the client another")
  func refreshed() {
    central.connect(to: peripheral)
    pair()
    #expect(recognition() == .new)
    peripheral.manager.keyRequested(
      encryptedDiversifier: 0, randomNumber: 0, at: 0, at: peripheral.now)
    let reply = peripheral.manager.takeKeyReply(at: 0)
    #expect(reply == peripheral.bond().map { .key($0.longTermKey) })
    peripheral.manager.encryptionChanged(.success, isEncrypted: true, at: 0, at: peripheral.now)
    #expect(recognition() == nil)
    #expect(isActive)
  }

  @Test("A client without a bond is not recognised")
  func withoutBond() {
    peripheral.manager.policy.bonds = false
    central.connect(to: peripheral)
    pair()
    #expect(peripheral.manager.security(at: 0).contains(.encrypted))
    #expect(recognition() == nil)
    peripheral.manager.noteActivity(of: ConnectionSet(0))
    #expect(!isActive && !isChanged())
    peripheral.manager.save(record(1), at: 0)
    #expect(peripheral.bondCount == 0)
  }

  @Test("Only a recognised client is active, until its state was compared")
  func activity() {
    central.connect(to: peripheral)
    pair()
    peripheral.manager.noteActivity(of: ConnectionSet(0))
    #expect(!isActive, "not recognised yet")
    #expect(!isChanged())
    #expect(recognition() == .new)
    #expect(isActive, "the bond has no record")
    #expect(isChanged())
    #expect(!isActive)
    #expect(!isChanged(), "saved")
    peripheral.manager.noteActivity(of: ConnectionSet(0))
    #expect(isActive)
    #expect(!isChanged())
    #expect(!isActive)
  }

  @Test("A new pairing on the link makes the saved state out of date")
  func pairedAgain() {
    central.connect(to: peripheral)
    pair()
    #expect(recognition() == .new)
    #expect(isChanged())
    peripheral.manager.save(record(1), at: 0)
    pair()
    #expect(peripheral.bond()?.client == nil)
    #expect(isActive)
    #expect(isChanged())
  }

  @Test("A link that closes is not active any more, and neither is the next one")
  func closed() {
    central.connect(to: peripheral)
    pair()
    #expect(recognition() == .new)
    #expect(isActive)
    reconnect()
    #expect(!isActive)
    peripheral.manager.noteActivity(of: ConnectionSet(0))
    #expect(!isActive && !isChanged())
  }

  @Test("A record is stored if it differs from that of the bond")
  func stored() {
    central.connect(to: peripheral)
    pair()
    for (features, isStored): (UInt8, Bool) in [(1, true), (1, false), (2, true), (2, false)] {
      peripheral.manager.bonds.markKept()
      peripheral.manager.save(record(features), at: 0)
      #expect(peripheral.hasChangedBonds == isStored)
      #expect(peripheral.bond()?.client == record(features))
    }
    peripheral.manager.save(record(3), at: 1)
    #expect(peripheral.bond()?.client == record(2), "no such link")
  }
}
