import BluetoothHost
import Expectations

@Suite("Bonds in memory")
struct BondTableTests {
  @Test("The least recently used bond is replaced")
  func eviction() {
    var stored = BondTable<3>()
    for number: UInt8 in 1...3 { stored.store(numberedBond(number)) }
    func identities(_ table: borrowing BondTable<3>) -> [UInt8] {
      var found: [UInt8] = []
      for index in 0..<table.count {
        if let bond = table.bond(at: index) { found.append(bond.identityAddress.bytes[0]) }
      }
      return found
    }
    expect(identities(stored), is: [3, 2, 1])
    stored.markUsed(at: 2)
    expect(identities(stored), is: [1, 3, 2])
    stored.store(numberedBond(4))
    expect(identities(stored), is: [4, 1, 3])
    // A bond with the same identity is replaced, and is the last used.
    stored.store(numberedBond(3, key: 9))
    expect(identities(stored), is: [3, 4, 1])
    expect(stored.bond(at: 0)?.longTermKey, is: Number128(words: [9, 0, 0, 0]))
    stored.remove(at: 1)
    expect(identities(stored), is: [3, 1])
  }

  @Test("An index without a bond changes nothing")
  func range() {
    var table = BondTable<3>()
    for number: UInt8 in 1...2 { table.store(numberedBond(number)) }
    let (first, second) = (table.bond(at: 0), table.bond(at: 1))
    table.markKept()
    for index in [-1, 0, 2, 3, 100, Int.max, Int.min] {
      table.markUsed(at: index)
      if index != 0 {
        expect(table.bond(at: index), is: nil)
        table.remove(at: index)
      }
      expect(table.bond(at: 0), is: first, "\(index)")
      expect(table.bond(at: 1), is: second, "\(index)")
      expect(table.count, is: 2, "\(index)")
      expect(table.isChanged, is: false, "\(index)")
    }
    var none = BondTable<0>()
    none.store(numberedBond(1))
    expect(none.count, is: 0)
  }

  @Test("A bond is found by its identity address, by a private address, and by EDIV and Rand")
  func lookUp() {
    var table = BondTable<4>()
    let irk: UInt32 = 77
    table.store(numberedBond(1))
    table.store(numberedBond(2, irk: irk))
    table.store(numberedBond(3, diversifier: 5, randomNumber: 6, isSecureConnections: false))
    table.store(
      numberedBond(4, diversifier: 7, randomNumber: 8, isSecureConnections: false, role: .initiator)
    )
    func found(_ index: Int?) -> UInt8? {
      index.flatMap { table.bond(at: $0)?.identityAddress.bytes[0] }
    }
    expect(found(table.index(of: address(2))), is: 2)
    expect(found(table.index(of: address(9))), is: nil)
    let identity = LocalIdentity(
      identityResolvingKey: Number128(words: [irk, 0, 0, 0]), address: address(2))
    let resolvable = resolvableAddress(of: identity, prand: 0x12_3456)
    expect(found(table.index(resolving: resolvable)), is: 2)
    expect(found(table.index(resolving: address(1))), is: 1)
    let unknown = LocalIdentity(
      identityResolvingKey: Number128(words: [1, 2, 3, 4]), address: address(2))
    expect(found(table.index(resolving: resolvableAddress(of: unknown, prand: 5))), is: nil)
    expect(found(table.index(encryptedDiversifier: 5, randomNumber: 6)), is: 3)
    expect(found(table.index(encryptedDiversifier: 5, randomNumber: 7)), is: nil)
    expect(
      found(table.index(encryptedDiversifier: 7, randomNumber: 8)), is: nil,
      "that key serves links as the central")
  }

  @Test("The specification's private address resolves with its key: Vol 3, Part H, D.7")
  func sampleAddress() {
    // IRK ec0234a357c8ad05341010a60a397d9b, prand 708194, hash 0dfbaa.
    let key = Number128(words: [0x0A39_7D9B, 0x3410_10A6, 0x57C8_AD05, 0xEC02_34A3])
    let address = DeviceAddress(kind: .random, bytes: [0xAA, 0xFB, 0x0D, 0x94, 0x81, 0x70])
    expect(address.isResolvable && !address.isIdentity)
    expect(address.isResolved(by: key))
    expect(!address.isResolved(by: Number128(words: [1, 0, 0, 0])))
    let wrong = DeviceAddress(kind: .random, bytes: [0xAB, 0xFB, 0x0D, 0x94, 0x81, 0x70])
    expect(!wrong.isResolved(by: key))
    // The same bytes as a public address, or under other top bits, are no private address.
    expect(
      !DeviceAddress(kind: .public, bytes: [0xAA, 0xFB, 0x0D, 0x94, 0x81, 0x70])
        .isResolved(by: key))
  }

  @Test(
    "The random bits of a private address are neither all 0 nor all 1: Vol 6, Part B, 1.3.2.2",
    arguments: [0, 0x3F_FFFF, 0xFFC0_0000, 0xFFFF_FFFF, 0x30_8194] as [UInt32])
  func randomBits(random: UInt32) {
    let key = Number128(words: [1, 2, 3, 4])
    let address = DeviceAddress(resolvableWith: key, random: random)
    expect(address.isResolved(by: key))
    let bits = [address.bytes[3], address.bytes[4], address.bytes[5] & 0x3F]
    expect(bits != [0, 0, 0] && bits != [0xFF, 0xFF, 0x3F])
    if random == 0x30_8194 { expect(bits, is: [0x94, 0x81, 0x30]) }
  }
}
