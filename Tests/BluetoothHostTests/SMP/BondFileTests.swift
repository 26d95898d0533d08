import BallTestSupport
import BluetoothHost
import Expectations

/// The CRC-32 of zlib, from a table of one byte.
private func checksum(_ bytes: [UInt8]) -> UInt32 {
  let table = (0..<256).map { (byte: UInt32) -> UInt32 in
    (0..<8).reduce(byte) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
  }
  return ~bytes.reduce(.max) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
}

/// These bytes, and their checksum.
private func file(_ bytes: [UInt8]) -> [UInt8] {
  let sum = checksum(bytes)
  return bytes + (0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) }
}

/// The offsets in a file of two bonds: a header of 34 bytes, and 102 bytes each.
private let header = 34
private let size = 102

/// A file of these bonds.
private func bytes(_ bonds: [Bond], _ identity: LocalIdentity?) -> [UInt8] {
  var table = BondTable<20>()
  for bond in bonds.reversed() { table.store(bond) }
  var file = BondFileBytes()
  BondFileFormat.write(table, identity: identity, to: &file)
  return file.span.indices.map { file.span[$0] }
}

/// The contents of a file, or why it is refused.
private func read(
  _ bytes: [UInt8]
) -> (fault: BondFileError?, bonds: [Bond], identity: LocalIdentity?, isChanged: Bool) {
  var table = BondTable<16>()
  var identity: LocalIdentity?
  var fault: BondFileError?
  do throws(BondFileError) {
    identity = try BondFileFormat.read(bytes.span, into: &table)
  } catch {
    expect(table.count, is: 0, "A file that is refused leaves nothing behind.")
    fault = error
  }
  return (fault, (0..<table.count).compactMap { table.bond(at: $0) }, identity, table.isChanged)
}

@Suite("Bond files")
struct BondFileTests {
  /// The key with the bytes `first`, `first + 1` … in a file.
  private func key(_ first: UInt8) -> Number128 {
    let bytes = (0..<16).map { first + $0 }
    var reader = ByteReader(bytes.span)
    return Number128(&reader) ?? .zero
  }

  private func address(_ number: UInt8) -> DeviceAddress { .staticRandom([number, 2, 3, 4, 5, 0]) }

  /// A change-aware client with robust caching, and subscriptions to Service Changed and to the
  /// second value.
  private var client: ClientRecord {
    var subscriptions = InlineArray<32, UInt8>(repeating: 0)
    subscriptions[1] = 1
    var hash = InlineArray<16, UInt8>(repeating: 0)
    for index in 0..<16 { hash[index] = 0x50 + UInt8(index) }
    return ClientRecord(
      databaseHash: DatabaseHash(bytes: hash), isChangeAware: true, features: 1,
      serviceChanged: .indication, subscriptions: ClientConfigurations(bytes: subscriptions))
  }

  /// Legacy, authenticated, with a resolving key.
  private var first: Bond {
    Bond(
      identityAddress: address(1), longTermKey: key(0x10), encryptedDiversifier: 0x1234,
      randomNumber: 0x1122_3344_5566_7788, identityResolvingKey: key(0x20), isAuthenticated: true,
      isSecureConnections: false, role: .initiator, client: client)
  }

  /// Secure Connections, Just Works, a public address.
  private var second: Bond {
    Bond(
      identityAddress: DeviceAddress(kind: .public, bytes: [2, 0, 0, 0, 0, 0xF0]),
      longTermKey: key(0x30), isAuthenticated: false, isSecureConnections: true, role: .responder)
  }

  private var identity: LocalIdentity {
    LocalIdentity(identityResolvingKey: key(0x40), address: address(9))
  }

  @Test("A file has the bytes of its format, and its bonds come back in their order")
  func roundTrip() {
    let file = bytes([first, second], identity)
    let numbers = { (first: UInt8) -> [UInt8] in (0..<16).map { first + $0 } }
    var expected = Array("8BALBOND".utf8) + [1, 2, 1, 1, 9, 2, 3, 4, 5, 0xC0] + numbers(0x40)
    // Authenticated, resolvable, and known as a client.
    expected += [0x19, 1, 1, 2, 3, 4, 5, 0xC0] + numbers(0x10)
    expected += [0x34, 0x12, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11] + numbers(0x20)
    expected += numbers(0x50) + [1, 1, 2, 0, 0, 1] + [UInt8](repeating: 0, count: 30)
    // Secure Connections, as the responder.
    expected += [0x06, 0, 2, 0, 0, 0, 0, 0xF0] + numbers(0x30) + [UInt8](repeating: 0, count: 78)
    expect(Array(file.dropLast(4)), is: expected)
    expect(file.count, is: BondFileFormat.fileSize(bonds: 2))
    let content = read(file)
    expect(content.bonds, is: [first, second])
    expect(content.identity?.address, is: address(9))
    expect(content.identity?.identityResolvingKey, is: key(0x40))
    expect(!content.isChanged)
    let empty = read(bytes([], nil))
    expect(empty.fault == nil && empty.bonds.isEmpty && empty.identity == nil)
  }

  @Test("The checksum equals zlib's CRC-32")
  func checksum() {
    // Of "8BALBOND", 1, 0, 0 and 23 zeros, by Python's zlib.crc32.
    expect(bytes([], nil).suffix(4), is: [34, 140, 124, 160])
  }

  @Test("A file that ends at any byte is refused")
  func truncation() {
    let file = bytes([first, second], identity)
    for count in 0..<file.count {
      expect(
        read(Array(file.prefix(count))).fault, is: count < 8 ? .foreign : .cut, "\(count) bytes")
    }
    expect(read(file + [0]).fault, is: .damaged)
    expect(read([]).fault, is: .foreign)
  }

  @Test("A file with any bit flipped is refused")
  func flips() {
    let file = bytes([first, second], identity)
    for index in file.indices {
      for bit in 0..<8 {
        var changed = file
        changed[index] ^= 1 << UInt8(bit)
        let expected: BondFileError =
          switch index {
          case 0..<8: .foreign
          case 8: .version(changed[8])
          // The number of bonds says how long the file is.
          case 9: changed[9] > 2 ? .cut : .damaged
          default: .damaged
          }
        expect(read(changed).fault, is: expected, "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test("Random bytes are refused")
  func noise() {
    var generator = FixedRandom(seed: 8)
    for _ in 0..<2_000 {
      var noise = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      expect(read(noise).fault, is: .foreign)
      noise = Array(bytes([], nil).prefix(10)) + noise
      expect(read(noise).fault != nil)
    }
  }

  @Test("A full table fits, and reports when it has changed")
  func full() {
    let bonds = (0..<16).map { number in
      var bond = second
      bond.identityAddress = address(UInt8(number))
      return bond
    }
    expect(read(bytes(bonds, identity)).bonds, is: bonds)
    var table = BondTable<16>()
    for bond in bonds { table.store(bond) }
    func expectChange(_ isExpected: Bool, _ change: (inout BondTable<16>) -> Void) {
      table.markKept()
      change(&table)
      expect(table.isChanged, is: isExpected)
    }
    expectChange(false) { $0.markUsed(at: 0) }
    expectChange(true) { $0.markUsed(at: 3) }
    expectChange(true) { $0.remove(at: 15) }
    expectChange(false) { $0.remove(at: 15) }
    expectChange(true) { $0.store(bonds[2]) }
  }

  /// A file of an identity and this number of bonds, without its checksum.
  private func content(bonds count: Int = 2) -> [UInt8] {
    let bonds = (0..<count).map { number in
      Bond(
        identityAddress: .staticRandom([UInt8(number), 1, 0, 0, 0, 0]),
        longTermKey: Number128(words: [UInt32(number), 2, 3, 4]), isAuthenticated: false,
        isSecureConnections: true, role: .responder)
    }
    let all = bytes(bonds, responderIdentity)
    expect(file(Array(all.dropLast(4))), is: all, "the checksum is that of zlib")
    return Array(all.dropLast(4))
  }

  @Test("A field out of its range is damage, even with the right checksum, and nothing is read")
  func ranges() {
    // The offset of a field, and its maximum: the identity's flag, the kind of its address.
    var fields: [(Int, UInt8)] = [(10, 1), (11, 1)]
    for start in [header, header + size] {
      // The flags, the kind of the address, and change-aware.
      fields += [(start, 0x1F), (start + 1, 1), (start + 66, 1)]
    }
    for (offset, maximum) in fields {
      for value: UInt8 in [0, 1, 2, 0x1F, 0x20, 0x3F, 0x80, 0xFF] {
        var bytes = content()
        bytes[offset] = value
        let found = read(file(bytes))
        expect(found.fault, is: value <= maximum ? nil : .damaged, "byte \(offset): \(value)")
        expect(found.bonds.count, is: value <= maximum ? 2 : 0, "byte \(offset): \(value)")
      }
    }
  }

  @Test("Each flag of a bond means one property")
  func flags() throws {
    for flags: UInt8 in 0...0x1F {
      var bytes = content()
      bytes[header] = flags
      bytes[header + 34] = 7
      let bond = try #require(read(file(bytes)).bonds.first)
      expect(bond.isAuthenticated, is: flags & 0x01 != 0)
      expect(bond.isSecureConnections, is: flags & 0x02 != 0)
      expect(bond.role, is: flags & 0x04 != 0 ? .responder : .initiator)
      expect((bond.identityResolvingKey != nil), is: flags & 0x08 != 0)
      expect((bond.client != nil), is: flags & 0x10 != 0)
    }
  }

  @Test("The identity is read if the file has one")
  func ownIdentity() {
    for flag: UInt8 in 0...1 {
      var bytes = content()
      bytes[10] = flag
      let identity = read(file(bytes)).identity
      expect(identity?.address, is: flag == 1 ? responderAddress : nil)
      expect(
        identity?.identityResolvingKey,
        is: flag == 1 ? responderIdentity.identityResolvingKey : nil)
    }
  }

  @Test("A file has at most 16 bonds, those used last")
  func most() {
    expect(BondFileFormat.mostBonds, is: 16)
    for count in [0, 1, 15, 16, 17, 20] {
      let bytes = content(bonds: count)
      let kept = min(count, 16)
      expect(bytes[9], is: UInt8(kept))
      expect(bytes.count, is: header + size * kept)
      expect(BondFileFormat.fileSize(bonds: kept), is: bytes.count + 4)
      let bonds = read(file(bytes)).bonds
      expect(bonds.map { $0.identityAddress.bytes[0] }, is: (0..<kept).map { UInt8($0) })
    }
  }

  @Test("A smaller table takes the bonds used last, in their order")
  func smallerTable() throws {
    let bytes = file(content(bonds: 5))
    var table = BondTable<3>()
    _ = try BondFileFormat.read(bytes.span, into: &table)
    let numbers = (0..<table.count).map { table.bond(at: $0)?.identityAddress.bytes[0] }
    expect(numbers, is: [0, 1, 2])
    expect(table.isChanged, is: false)
  }
}
