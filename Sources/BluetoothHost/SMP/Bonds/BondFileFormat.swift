/// The format of a file with a device's bonds and its identity.
///
/// All numbers are little-endian. The most recently used bond is the first.
///
/// | offset | bytes | what |
/// | --- | --- | --- |
/// | 0 | 8 | `8BALBOND` in ASCII |
/// | 8 | 1 | the version of the format: 1 |
/// | 9 | 1 | how many bonds follow |
/// | 10 | 1 | whether the device has an identity: 1 or 0 |
/// | 11 | 7 | its address: the kind, and the six bytes |
/// | 18 | 16 | its identity resolving key |
/// | 34 | 102 each | the bonds |
/// | … | 4 | CRC-32 (ISO 3309) of all bytes before it |
///
/// A bond is a byte of flags (`BondFlags`), the peer's identity address as above, its long term
/// key, EDIV, Rand, and its identity resolving key, zero if it has none; then its `ClientRecord`,
/// zeros if it has none: 16 bytes of the database's hash, a byte for change-aware, its features,
/// two bytes for Service Changed, and 32 for its subscriptions.
public enum BondFileFormat {
  /// The length in bytes before the bonds.
  static var headerSize: Int { 34 }
  /// The length of a bond in bytes.
  static var bondSize: Int { 102 }
  /// The length of the checksum in bytes.
  static var checksumSize: Int { 4 }
  /// The version that is written.
  static var version: UInt8 { 1 }
  /// `8BALBOND`, as a number.
  static var mark: UInt64 { 0x444E_4F42_4C41_4238 }

  /// The maximum number of bonds in a file.
  public static var mostBonds: Int { 16 }

  /// The length in bytes of a file with this number of bonds.
  public static func fileSize(bonds count: Int) -> Int {
    headerSize &+ count &* bondSize &+ checksumSize
  }

  /// The flags in a bond's first byte.
  private struct BondFlags: Flags {
    var rawValue: UInt8

    /// Pairing was protected against man-in-the-middle attacks.
    static let authenticated = BondFlags(rawValue: 0x01)
    /// The key came from LE Secure Connections.
    static let secureConnections = BondFlags(rawValue: 0x02)
    /// This device was the responder in the pairing.
    static let responder = BondFlags(rawValue: 0x04)
    /// There is an identity resolving key.
    static let resolvable = BondFlags(rawValue: 0x08)
    /// There is a record of the peer as a client.
    static let client = BondFlags(rawValue: 0x10)
    /// All that have a meaning.
    static let all = BondFlags(rawValue: 0x1F)
  }

  // MARK: Writing

  /// Writes `bonds`, at most `mostBonds`, and `identity` to `file`. Call `wipe` after use, since it
  /// contains keys.
  public static func write<Bonds: BondStore & ~Copyable>(
    _ bonds: borrowing Bonds, identity: LocalIdentity?, to file: inout BondFileBytes
  ) {
    let count = min(bonds.count, mostBonds)
    file.removeAll()
    var writer = file.makeAppendingWriter(sparing: checksumSize)
    writer.write(mark)
    writer.write(version)
    writer.write(UInt8(truncatingIfNeeded: count))
    writer.write(identity == nil ? 0 : 1 as UInt8)
    (identity?.address ?? .zero).write(to: &writer)
    (identity?.identityResolvingKey ?? .zero).write(to: &writer)
    for index in 0..<count { write(bonds.bond(at: index) ?? Bond(), to: &writer) }
    file.keepWritten(writer.count)
    var checksum = Checksum()
    checksum.add(file.span)
    let length = file.count
    writer = file.makeAppendingWriter()
    writer.write(checksum.value)
    file.keepWritten(length &+ writer.count)
  }

  private static func write(_ bond: Bond, to writer: inout ByteWriter) {
    var flags = BondFlags.none
    if bond.isAuthenticated { flags = flags | .authenticated }
    if bond.isSecureConnections { flags = flags | .secureConnections }
    if bond.role == .responder { flags = flags | .responder }
    if bond.identityResolvingKey != nil { flags = flags | .resolvable }
    if bond.client != nil { flags = flags | .client }
    writer.write(flags.rawValue)
    bond.identityAddress.write(to: &writer)
    bond.longTermKey.write(to: &writer)
    writer.write(bond.encryptedDiversifier)
    writer.write(bond.randomNumber)
    (bond.identityResolvingKey ?? .zero).write(to: &writer)
    let hash = bond.client?.databaseHash.bytes ?? InlineArray(repeating: 0)
    writer.write(hash.span)
    writer.write(bond.client?.isChangeAware ?? false ? 1 : 0 as UInt8)
    writer.write(bond.client?.features ?? 0)
    writer.write(bond.client?.serviceChanged.rawValue ?? 0)
    let subscriptions = bond.client?.subscriptions.bytes ?? InlineArray(repeating: 0)
    writer.write(subscriptions.span)
  }

  // MARK: Reading

  /// Reads a file: stores its bonds in `bonds`, and returns the device's identity, if the file has
  /// one.
  ///
  /// If there is no room for all bonds, the most recently used ones are stored.
  ///
  /// - Throws: Why the file is invalid; `bonds` is unchanged then.
  public static func read<let capacity: Int>(
    _ file: Span<UInt8>, into bonds: inout BondTable<capacity>
  ) throws(BondFileError) -> LocalIdentity? {
    var reader = ByteReader(file)
    guard let mark = reader.readUInt64(), mark == Self.mark else { throw .foreign }
    guard let version = reader.readUInt8() else { throw .cut }
    guard version == Self.version else { throw .version(version) }
    guard let count = reader.readUInt8(), file.count >= fileSize(bonds: Int(count)) else {
      throw .cut
    }
    guard file.count == fileSize(bonds: Int(count)) else { throw .damaged }
    try check(file)
    guard let isIdentified = reader.readUInt8(), isIdentified <= 1,
      let address = Self.address(&reader), let key = Number128(&reader)
    else { throw .damaged }
    // Check all of them first, so that an invalid one changes nothing.
    for _ in 0..<count { if case nil = bond(&reader) { throw .damaged } }
    // Each stored bond becomes the first.
    for index in 0..<min(Int(count), capacity) {
      let position = min(Int(count), capacity) &- 1 &- index
      var reader = ByteReader(file.extracting(droppingFirst: headerSize &+ position &* bondSize))
      if let bond = bond(&reader) { bonds.store(bond) }
    }
    bonds.markKept()
    return isIdentified == 1 ? LocalIdentity(identityResolvingKey: key, address: address) : nil
  }

  private static func check(_ file: Span<UInt8>) throws(BondFileError) {
    let end = file.count &- checksumSize
    var checksum = Checksum()
    checksum.add(file.extracting(first: end))
    var reader = ByteReader(file.extracting(droppingFirst: end))
    guard reader.readUInt32() == checksum.value else { throw .damaged }
  }

  private static func address(_ reader: inout ByteReader) -> DeviceAddress? {
    guard let kind = reader.readUInt8(), kind <= 1 else { return nil }
    return DeviceAddress(&reader, kind: DeviceAddress.Kind(rawValue: kind))
  }

  @inline(never) private static func bond(_ reader: inout ByteReader) -> Bond? {
    guard let bits = reader.readUInt8(), bits & ~BondFlags.all.rawValue == 0,
      let address = address(&reader), let key = Number128(&reader),
      let diversifier = reader.readUInt16(), let number = reader.readUInt64(),
      let resolvingKey = Number128(&reader), let client = client(&reader)
    else { return nil }
    let flags = BondFlags(rawValue: bits)
    return Bond(
      identityAddress: address, longTermKey: key, encryptedDiversifier: diversifier,
      randomNumber: number, identityResolvingKey: flags.contains(.resolvable) ? resolvingKey : nil,
      isAuthenticated: flags.contains(.authenticated),
      isSecureConnections: flags.contains(.secureConnections),
      role: flags.contains(.responder) ? .responder : .initiator,
      client: flags.contains(.client) ? client : nil)
  }

  private static func client(_ reader: inout ByteReader) -> ClientRecord? {
    var hash = InlineArray<16, UInt8>(repeating: 0)
    var subscriptions = InlineArray<32, UInt8>(repeating: 0)
    guard fill(&hash, &reader), let awareness = reader.readUInt8(), awareness <= 1,
      let features = reader.readUInt8(), let serviceChanged = reader.readUInt16(),
      fill(&subscriptions, &reader)
    else { return nil }
    return ClientRecord(
      databaseHash: DatabaseHash(bytes: hash), isChangeAware: awareness == 1, features: features,
      serviceChanged: ClientConfiguration(rawValue: serviceChanged),
      subscriptions: ClientConfigurations(bytes: subscriptions))
  }

  private static func fill<let count: Int>(
    _ bytes: inout InlineArray<count, UInt8>, _ reader: inout ByteReader
  ) -> Bool {
    guard let source = reader.readBytes(count) else { return false }
    for index in 0..<count { bytes[index] = source[index] }
    return true
  }
}

/// The bytes of a bond file: the maximum length, and room to detect a longer file.
public typealias BondFileBytes = ByteBuffer<2_048>

/// Why a bond file is invalid.
public enum BondFileError: Error, Equatable, Sendable {
  /// It is another kind of file.
  case foreign
  /// It is truncated: it was not written completely.
  case cut
  /// It was changed after it was written.
  case damaged
  /// It has this unknown version of the format.
  case version(UInt8)
}

/// CRC-32 of bytes, as in ISO 3309 and ITU-T V.42, which detects changes of a few bits. It detects
/// faults of a disk. It does not protect against forged files.
struct Checksum {
  /// The inverted remainder.
  private var remainder: UInt32 = .max

  /// The checksum of no bytes.
  init() {}

  /// The checksum of the added bytes.
  var value: UInt32 { ~remainder }

  /// Adds bytes, bit by bit: a file is too short to need a table.
  mutating func add(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      remainder ^= UInt32(bytes[index])
      for _ in 0..<8 {
        // Without branches, since some of the bytes are keys.
        remainder = remainder &>> 1 ^ 0xEDB8_8320 & (0 &- (remainder & 1))
      }
    }
  }
}
