import BluetoothHost
import Testing

private let yesNo = PairingPolicy(ioCapability: .displayYesNo)

/// A resolvable private address of a device with this key.
func resolvableAddress(of identity: LocalIdentity, prand: UInt32) -> DeviceAddress {
  let prand = prand & 0x3F_FFFF | 0x40_0000
  let hash = PairingFunctions.ah(k: identity.identityResolvingKey, r: prand)
  var bytes = InlineArray<6, UInt8>(repeating: 0)
  for index in 0..<3 {
    bytes[index] = UInt8(truncatingIfNeeded: hash >> UInt32(index * 8))
    bytes[index + 3] = UInt8(truncatingIfNeeded: prand >> UInt32(index * 8))
  }
  return DeviceAddress(kind: .random, bytes: bytes)
}

@Suite("The Security Manager")
struct SecurityManagerTests {
  private let central: SecurityStation
  private let peripheral: SecurityStation

  init() {
    central = SecurityStation(yesNo, identity: initiatorIdentity, seed: 1)
    peripheral = SecurityStation(yesNo, identity: responderIdentity, seed: 2)
  }

  @Test("Two devices pair, and encrypt the next link with the bond")
  func bonding() throws {
    central.connect(to: peripheral)
    #expect(central.secure())
    central.run()
    let bond = try #require(central.bond())
    #expect(bond.longTermKey == peripheral.bond()?.longTermKey)
    let strong: LinkSecurity = .encrypted | .authenticated | .secureConnections | .bonded
    #expect(central.manager.security(at: 0) == strong)
    #expect(peripheral.manager.security(at: 0) == strong)
    #expect(central.outcomes == [.paired(bond)])
    #expect(central.secure(), "nothing to do")

    central.disconnect()
    #expect(central.manager.security(at: 0) == .none)
    central.connect(to: peripheral)
    #expect(central.manager.security(at: 0) == .bonded)
    #expect(central.secure())
    central.run()
    #expect(central.manager.security(at: 0) == strong)
    #expect(peripheral.manager.security(at: 0) == strong)
    #expect(central.outcomes.count == 1, "no second pairing")
    #expect(
      central.starts.last
        == EncryptionStart(
          longTermKey: bond.longTermKey, encryptedDiversifier: 0, randomNumber: 0))
  }

  @Test("A legacy bond is found by EDIV and Rand with any address")
  func legacyBond() throws {
    central.manager.policy.secureConnections = .notOffered
    central.connect(to: peripheral)
    #expect(central.secure())
    central.run()
    let bond = try #require(central.bond())
    #expect(bond.randomNumber != 0 && !bond.isSecureConnections)
    central.disconnect()
    let unknown = DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 6])
    central.connect(to: peripheral, from: unknown)
    #expect(peripheral.manager.security(at: 0) == .none)
    #expect(central.secure())
    central.run()
    #expect(peripheral.manager.security(at: 0).contains(.encrypted | .bonded))
    #expect(central.outcomes.count == 1)

    // The same key does not serve a link in which the central is the peripheral.
    central.disconnect()
    peripheral.connect(to: central, from: responderAddress, peer: initiatorAddress)
    #expect(peripheral.secure())
    peripheral.run()
    #expect(peripheral.outcomes.count == 2, "they paired again")
  }

  @Test("A bonded peer is found by its resolvable private addresses")
  func resolving() throws {
    let address = resolvableAddress(of: initiatorIdentity, prand: 0x1_2345)
    central.connect(to: peripheral, from: address)
    #expect(central.secure())
    central.run()
    #expect(peripheral.bond()?.identityAddress == initiatorAddress)
    central.disconnect()
    central.connect(
      to: peripheral, from: resolvableAddress(of: initiatorIdentity, prand: 0x5_4321))
    #expect(peripheral.manager.security(at: 0) == .bonded)
    #expect(central.secure())
    central.run()
    #expect(peripheral.manager.security(at: 0).contains(.encrypted))
    #expect(central.outcomes.count == 1)
  }

  @Test("A central encrypts or pairs at a peripheral's Security Request")
  func securityRequest() {
    central.connect(to: peripheral)
    #expect(peripheral.secure())
    #expect(peripheral.manager.deadline == Instant(rawValue: 30_000))
    central.run()
    #expect(central.bondCount == 1 && peripheral.bondCount == 1)
    #expect(peripheral.manager.deadline == nil)

    central.disconnect()
    central.connect(to: peripheral)
    #expect(peripheral.secure())
    central.run()
    #expect(central.manager.security(at: 0).contains(.encrypted))
    #expect(central.outcomes.count == 1, "encrypted with the bond's key")
    #expect(peripheral.manager.deadline == nil)
  }

  @Test("30 s without an answer to a Security Request end SMP on the link")
  func silentCentral() {
    central.connect(to: peripheral)
    #expect(peripheral.pair())
    #expect(peripheral.takePDUs() == [[0x0B, 0x0D]])
    peripheral.manager.advance(to: Instant(rawValue: 29_999))
    #expect(peripheral.outcomes == [])
    peripheral.manager.advance(to: Instant(rawValue: 30_000))
    #expect(peripheral.outcomes == [.timedOut])
    peripheral.receive([0x01, 3, 0, 0x09, 16, 0, 0])
    #expect(peripheral.takePDUs() == [], "no more SMP on this link: 3.4")
    #expect(!peripheral.pair())
    central.disconnect()
    central.connect(to: peripheral)
    #expect(peripheral.pair(), "the next link is another")
  }

  @Test("A pairing that times out ends SMP on its link")
  func timeout() {
    central.connect(to: peripheral)
    #expect(central.pair())
    peripheral.now = Instant(rawValue: 5)
    central.now = Instant(rawValue: 5)
    #expect(central.takePDUs().count == 1)
    #expect(central.manager.deadline == Instant(rawValue: 30_000))
    central.manager.advance(to: Instant(rawValue: 30_000))
    #expect(central.outcomes == [.timedOut])
    #expect(central.manager.deadline == nil)
    for code: UInt8 in 0...15 {
      central.receive([code] + [UInt8](repeating: 0, count: 6))
      #expect(central.takePDUs() == [])
    }
    let key = central.manager.takeEncryption(at: 0, at: Instant(rawValue: 30_000))
    #expect(key == nil)
    #expect(!central.pair())
  }

  @Test("Closed pairing responds Pairing Not Supported in both roles")
  func closed() {
    peripheral.manager.policy.isOpen = false
    central.connect(to: peripheral)
    #expect(!peripheral.pair())
    #expect(central.pair())
    central.run()
    #expect(central.outcomes == [.refused(.pairingNotSupported)])
    #expect(peripheral.outcomes == [], "nothing began")

    central.manager.policy.isOpen = false
    peripheral.manager.policy.isOpen = true
    central.receive([0x0B, 0x01])
    #expect(central.takePDUs() == [[0x05, 0x05]])
  }

  @Test("A bond works while pairing is closed")
  func closedWithBond() {
    central.connect(to: peripheral)
    #expect(central.pair())
    central.run()
    central.disconnect()
    peripheral.manager.policy.isOpen = false
    central.connect(to: peripheral)
    #expect(central.secure())
    central.run()
    #expect(peripheral.manager.security(at: 0).contains(.encrypted))
  }

  @Test("A second peer gets Repeated Attempts during a pairing")
  func busy() {
    let other = SecurityStation(identity: nil, seed: 3)
    central.connect(to: peripheral)
    other.connect(to: peripheral, at: 1, from: .staticRandom([9, 9, 9, 9, 9, 9]))
    #expect(central.pair())
    for pdu in central.takePDUs() { peripheral.receive(pdu) }
    #expect(other.pair())
    for pdu in other.takePDUs() { peripheral.receive(pdu, at: 1) }
    #expect(peripheral.takePDUs(at: 1) == [[0x05, 0x09]])
    #expect(!peripheral.pair(at: 1))
    central.run()
    #expect(central.bondCount == 1)
    other.receive([0x05, 0x09])
    #expect(other.outcomes == [.refused(.repeatedAttempts)])
  }

  @Test("Failures delay a peer, each twice as long, and no other peer")
  func attempts() {
    let request: [UInt8] = [0x01, 3, 0, 0x09, 15, 0, 0]
    central.connect(to: peripheral)
    var now: UInt64 = 0
    for wait: UInt64 in [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000] {
      peripheral.now = Instant(rawValue: now)
      peripheral.receive(request)
      #expect(peripheral.takePDUs() == [[0x05, 0x06]], "the key is too short")
      peripheral.now = Instant(rawValue: now + wait - 1)
      peripheral.receive(request)
      #expect(peripheral.takePDUs() == [[0x05, 0x09]])
      now += wait
    }
    let other = SecurityStation(identity: nil)
    other.connect(to: peripheral, at: 1, from: .staticRandom([9, 9, 9, 9, 9, 9]))
    peripheral.receive(request, at: 1)
    #expect(peripheral.takePDUs(at: 1) == [[0x05, 0x06]])
  }

  @Test("A PDU without a pairing is refused; a reserved code and a failure are not answered")
  func strayPDUs() {
    central.connect(to: peripheral)
    for code: UInt8 in 0...255 {
      peripheral.receive([code])
      let expected: [[UInt8]] =
        switch code {
        case 0x01: [[0x05, 0x0A]]
        case 0x05, 0x00, 0x0F...0xFF: []
        default: [[0x05, 0x07]]
        }
      #expect(peripheral.takePDUs() == expected, "\(code)")
      central.receive([code])
      let expectedOfCentral: [[UInt8]] =
        switch code {
        case 0x0B: [[0x05, 0x0A]]
        case 0x05, 0x00, 0x0F...0xFF: []
        default: [[0x05, 0x07]]
        }
      #expect(central.takePDUs() == expectedOfCentral, "\(code)")
    }
    peripheral.receive([])
    #expect(peripheral.takePDUs() == [])
    peripheral.receive([0x01], at: 7)
    peripheral.receive([0x01], at: -1)
    #expect(peripheral.takePDUs() == [])
  }

  @Test("A key request without a key is refused")
  func noKey() {
    central.connect(to: peripheral)
    for (diversifier, number): (UInt16, UInt64) in [(0, 0), (1, 2)] {
      peripheral.manager.keyRequested(
        encryptedDiversifier: diversifier, randomNumber: number, at: 0, at: peripheral.now)
      let reply = peripheral.manager.takeKeyReply(at: 0)
      #expect(reply == .negative)
      let next = peripheral.manager.takeKeyReply(at: 0)
      #expect(next == nil, "one answer")
    }
  }
}
