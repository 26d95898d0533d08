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

@Suite("The fields of a bond file")
struct BondFileFieldTests {
  /// A file of an identity and this number of bonds, without its checksum.
  private func content(bonds count: Int = 2) -> [UInt8] {
    var table = BondTable<20>()
    for number in (0..<count).reversed() {
      table.store(
        Bond(
          identityAddress: .staticRandom([UInt8(number), 1, 0, 0, 0, 0]),
          longTermKey: Number128(words: [UInt32(number), 2, 3, 4]), isAuthenticated: false,
          isSecureConnections: true, role: .responder))
    }
    var bytes = BondFileBytes()
    BondFileFormat.write(table, identity: responderIdentity, to: &bytes)
    let all = bytes.span.indices.map { bytes.span[$0] }
    expect(file(Array(all.dropLast(4))), is: all, "the checksum is that of zlib")
    return Array(all.dropLast(4))
  }

  /// The fault of a file; its bonds if it has none.
  private func read(_ bytes: [UInt8]) -> (fault: BondFileError?, bonds: [Bond]) {
    var table = BondTable<16>()
    var fault: BondFileError?
    do throws(BondFileError) {
      _ = try BondFileFormat.read(bytes.span, into: &table)
    } catch { fault = error }
    return (fault, (0..<table.count).compactMap { table.bond(at: $0) })
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
        let (fault, bonds) = read(file(bytes))
        expect(fault, is: value <= maximum ? nil : .damaged, "byte \(offset): \(value)")
        expect(bonds.count, is: fault == nil ? 2 : 0, "byte \(offset): \(value)")
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
  func identity() throws {
    for flag: UInt8 in 0...1 {
      var bytes = content()
      bytes[10] = flag
      var table = BondTable<2>()
      let identity = try BondFileFormat.read(file(bytes).span, into: &table)
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
