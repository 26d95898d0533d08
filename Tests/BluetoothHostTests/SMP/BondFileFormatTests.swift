import BallTestSupport
import BluetoothHost
import Expectations

@Suite("The bytes of a bond file")
struct BondFileFormatTests {
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

  private func bytes(_ bonds: [Bond], _ identity: LocalIdentity?) -> [UInt8] {
    var table = BondTable<16>()
    for bond in bonds.reversed() { table.store(bond) }
    var file = BondFileBytes()
    BondFileFormat.write(table, identity: identity, to: &file)
    return unsafe file.span.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// The contents of a file.
  private struct Content {
    var bonds: [Bond] = []
    var identity: LocalIdentity?
    var isChanged = false
  }

  private func read(_ bytes: [UInt8]) throws(BondFileError) -> Content {
    var table = BondTable<16>()
    var content = Content()
    do throws(BondFileError) {
      content.identity = try BondFileFormat.read(bytes.span, into: &table)
    } catch {
      expect(table.count, is: 0, "A file that is refused leaves nothing behind.")
      throw error
    }
    for index in 0..<table.count {
      if let bond = table.bond(at: index) { content.bonds.append(bond) }
    }
    content.isChanged = table.isChanged
    return content
  }

  private func fault(_ bytes: [UInt8]) -> BondFileError? {
    do throws(BondFileError) {
      _ = try read(bytes)
      return nil
    } catch { return error }
  }

  @Test("A file has the bytes of its format, and its bonds come back in their order")
  func roundTrip() throws {
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
    let content = try read(file)
    expect(content.bonds, is: [first, second])
    expect(content.identity?.address, is: address(9))
    expect(content.identity?.identityResolvingKey, is: key(0x40))
    expect(!content.isChanged)
    let empty = try read(bytes([], nil))
    expect(empty.bonds.isEmpty)
    expect(empty.identity == nil)
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
      expect(fault(Array(file.prefix(count))), is: count < 8 ? .foreign : .cut, "\(count) bytes")
    }
    expect(fault(file + [0]), is: .damaged)
    expect(fault([]), is: .foreign)
  }

  @Test("A file with any bit flipped is refused")
  func flips() {
    let file = bytes([first, second], identity)
    for index in file.indices {
      for bit in 0..<8 {
        var changed = file
        changed[index] ^= 1 << UInt8(bit)
        let expected: [BondFileError] =
          switch index {
          case 0..<8: [.foreign]
          case 8: [.version(changed[8])]
          // The number of bonds says how long the file is.
          case 9: [changed[9] > 2 ? .cut : .damaged]
          default: [.damaged]
          }
        expect(
          fault(changed).map { expected.contains($0) }, is: true, "bit \(bit) of byte \(index)")
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
      expect(fault(noise), is: .foreign)
      noise = Array(bytes([], nil).prefix(10)) + noise
      expect(fault(noise) != nil)
    }
  }

  @Test("A full table fits, and reports when it has changed")
  func full() throws {
    let bonds = (0..<16).map { number in
      var bond = second
      bond.identityAddress = address(UInt8(number))
      return bond
    }
    expect(try read(bytes(bonds, identity)).bonds, is: bonds)
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
}
