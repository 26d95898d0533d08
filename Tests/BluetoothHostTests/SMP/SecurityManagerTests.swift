import BluetoothHost
import Expectations

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

private let strong: LinkSecurity = .encrypted | .authenticated | .secureConnections | .bonded
private let unknownAddress = DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 6])
/// A Pairing Request whose key is too short.
private let weakRequest: [UInt8] = [0x01, 3, 0, 0x09, 15, 0, 0]

/// A pairing fails, which delays the next one; the PDU is not checked.
private func fails() -> Step<StationPair> { .central(.pair(), .receive([0x05, 0x08]), .drop) }

private let scenarios: [Scenario<StationPair>] = [
  Scenario(
    "A success ends the delay after failures, which begins again at 1 s",
    on: { StationPair(PairingPolicy(), peripheral: PairingPolicy()) },
    .connect(), fails(), .central(.time(1_000)), fails(),
    // 2 s.
    .central(.time(2_999), .pair(false), .time(3_000)), .pairs(), .central(.bonds(1)), fails(),
    // 1 s again.
    .central(.time(3_999), .pair(false), .time(4_000), .pair())),
  Scenario(
    "Two devices pair, and encrypt the next link with the bond",
    .connect(), .secures(), .both(.security(strong)),
    .also { pair in
      let bond = try #require(pair.central.bond())
      expect(bond.longTermKey, is: pair.peripheral.bond()?.longTermKey)
      expect(pair.central.outcomes, is: [.paired(bond)])
    },
    // Nothing to do.
    .central(.secure()), .disconnect, .central(.security(.none)), .connect(),
    .central(.security(.bonded)), .secures(), .both(.security(strong)),
    // No second pairing.
    .central(.outcomeCount(1)),
    .also { pair in
      let start = try #require(pair.central.starts.last)
      expect(start.longTermKey, is: pair.central.bond()?.longTermKey)
      expect(start.encryptedDiversifier == 0 && start.randomNumber == 0)
    }),
  Scenario(
    "A legacy bond is found by EDIV and Rand with any address",
    .central(.set(policy: \.secureConnections, .notOffered)), .connect(), .secures(),
    .also { pair in
      let bond = try #require(pair.central.bond())
      expect(bond.randomNumber != 0 && !bond.isSecureConnections)
    },
    .disconnect, .connect(from: unknownAddress), .peripheral(.security(.none)), .secures(),
    .peripheral(.security(contains: .encrypted | .bonded)), .central(.outcomeCount(1)),
    // The same key does not serve a link in which the central is the peripheral: they pair again.
    .disconnect,
    .also { pair in
      pair.peripheral.connect(to: pair.central, from: responderAddress, peer: initiatorAddress)
      pair.peripheral.secures()
    },
    .peripheral(.outcomeCount(2))),
  Scenario(
    "A bonded peer is found by its resolvable private addresses",
    .connect(from: resolvableAddress(of: initiatorIdentity, prand: 0x1_2345)), .secures(),
    .peripheral(.bonded(to: initiatorAddress)), .disconnect,
    .connect(from: resolvableAddress(of: initiatorIdentity, prand: 0x5_4321)),
    .peripheral(.security(.bonded)), .secures(), .peripheral(.security(contains: .encrypted)),
    .central(.outcomeCount(1))),
  Scenario(
    "A central encrypts or pairs at a peripheral's Security Request",
    .connect(), .peripheral(.secure(), .deadline(30_000)), .run, .both(.bonds(1)),
    .peripheral(.deadline(nil)), .disconnect, .connect(), .peripheral(.secure()), .run,
    .central(.security(contains: .encrypted), .outcomeCount(1)), .peripheral(.deadline(nil))),
  Scenario(
    "30 s without an answer to a Security Request end SMP on the link: 3.4",
    .connect(), .peripheral(.pair(), .pdus([0x0B, 0x0D]), .time(29_999, advances: true)),
    .peripheral(.outcomes(), .time(30_000, advances: true), .outcomes(.timedOut)),
    .peripheral(.receive([0x01, 3, 0, 0x09, 16, 0, 0]), .pdus(), .pair(false)), .disconnect,
    // The next link is another.
    .connect(), .peripheral(.pair())),
  Scenario(
    "A pairing that times out ends SMP on its link",
    .connect(), .central(.pair()), .both(.time(5)), .central(.codes(0x01), .deadline(30_000)),
    .central(.time(30_000, advances: true), .outcomes(.timedOut), .deadline(nil)),
    .also { pair in
      for code: UInt8 in 0...15 {
        pair.central.receive([code] + [UInt8](repeating: 0, count: 6))
        expect(pair.central.takePDUs(), is: [])
      }
    },
    .central(.takesStart(false), .pair(false))),
  Scenario(
    "Closed pairing responds Pairing Not Supported in both roles",
    .peripheral(.set(policy: \.isOpen, false)), .connect(), .peripheral(.pair(false)), .pairs(),
    .central(.outcomes(.refused(.pairingNotSupported))), .peripheral(.outcomes()),
    .central(.set(policy: \.isOpen, false)), .peripheral(.set(policy: \.isOpen, true)),
    .central(.receive([0x0B, 0x01]), .pdus([0x05, 0x05]))),
  Scenario(
    "A bond works while pairing is closed",
    .connect(), .pairs(), .disconnect, .peripheral(.set(policy: \.isOpen, false)), .connect(),
    .secures(), .peripheral(.security(contains: .encrypted))),
  Scenario(
    "A second peer gets Repeated Attempts during a pairing",
    .connect(),
    .also { pair in
      let other = SecurityStation(identity: nil, seed: 3)
      other.connect(to: pair.peripheral, at: 1, from: .staticRandom([9, 9, 9, 9, 9, 9]))
      expect(pair.central.pair() && other.pair())
      for pdu in pair.central.takePDUs() { pair.peripheral.receive(pdu) }
      for pdu in other.takePDUs() { pair.peripheral.receive(pdu, at: 1) }
      expect(pair.peripheral.takePDUs(at: 1), is: [[0x05, 0x09]])
      expect(!pair.peripheral.pair(at: 1))
      other.receive([0x05, 0x09])
      expect(other.outcomes, is: [.refused(.repeatedAttempts)])
    },
    .run, .central(.bonds(1))),
  Scenario(
    "Failures delay a peer, each twice as long, and no other peer",
    .connect(),
    .also { pair in
      for wait: UInt32 in [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000] {
        let start = pair.peripheral.now
        pair.peripheral.receive(weakRequest)
        expect(pair.peripheral.takePDUs(), is: [[0x05, 0x06]], "the key is too short")
        pair.peripheral.now = start.advanced(by: wait - 1)
        pair.peripheral.receive(weakRequest)
        expect(pair.peripheral.takePDUs(), is: [[0x05, 0x09]])
        pair.peripheral.now = start.advanced(by: wait)
      }
      let other = SecurityStation(identity: nil)
      other.connect(to: pair.peripheral, at: 1, from: .staticRandom([9, 9, 9, 9, 9, 9]))
    },
    .peripheral(.receive(weakRequest, on: 1), .pdus([0x05, 0x06], on: 1))),
  Scenario(
    "A PDU without a pairing is refused; a reserved code and a failure are not answered",
    .connect(),
    .also { pair in
      for (station, pairs) in [(pair.peripheral, UInt8(0x01)), (pair.central, 0x0B)] {
        for code: UInt8 in 0...255 {
          station.receive([code])
          let expected: [[UInt8]] =
            switch code {
            case pairs: [[0x05, 0x0A]]
            case 0x05, 0x00, 0x0F...0xFF: []
            default: [[0x05, 0x07]]
            }
          expect(station.takePDUs(), is: expected, "\(code)")
        }
      }
    },
    .peripheral(.receive([]), .receive([0x01], on: 7), .receive([0x01], on: -1), .pdus())),
  Scenario(
    "A key request without a key is refused, once",
    .connect(), .peripheral(.requestKey(), .reply(.negative), .reply(nil)),
    .peripheral(.requestKey(1, 2), .reply(.negative), .reply(nil))),
]

@Suite("The Security Manager")
struct SecurityManagerTests {
  @Test("Two devices pair, encrypt, or do not", arguments: scenarios)
  func scenario(_ scenario: Scenario<StationPair>) throws { try scenario.run(on: StationPair()) }
}
