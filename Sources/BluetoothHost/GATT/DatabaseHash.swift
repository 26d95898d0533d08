/// The Database Hash: the AES-CMAC, with a key of zeros, of the structure of a database.
/// Core Specification, Vol 3, Part G, 7.3.1. It is sent least significant byte first, as are all
/// multi-byte values without another rule (Vol 3, Part F, 3.3.1), and as the SIG's qualification
/// tests expect.
public struct DatabaseHash: Equatable, Sendable {
  /// The 16 bytes in the order of the PDU.
  public private(set) var bytes = InlineArray<16, UInt8>(repeating: 0)

  /// All zeros, which is not the hash of any database.
  public init() {}

  /// A stored hash, its 16 bytes in the order of the PDU.
  public init(bytes: InlineArray<16, UInt8>) { self.bytes = bytes }

  /// The hash of `attributes`. The first has the handle 0x0001.
  public init(of attributes: Span<Attribute>) {
    var code = AESCMAC(key: .zero)
    for index in attributes.indices {
      let handle = AttributeHandle(rawValue: UInt16(truncatingIfNeeded: index + 1))
      // Handle, type, and at most the 19 bytes of a characteristic's declaration.
      var entry = InlineArray<40, UInt8>(repeating: 0)
      var writer = ByteWriter(entry.mutableSpan)
      guard attributes.writeHashEntry(at: handle, to: &writer) else { continue }
      let length = writer.count
      code.update(entry.span.extracting(first: length))
    }
    var writer = ByteWriter(bytes.mutableSpan)
    code.finish().write(to: &writer)
  }

  /// Whether both hold the same bytes.
  public static func == (left: DatabaseHash, right: DatabaseHash) -> Bool {
    left.bytes.span.hasSameBytes(as: right.bytes.span)
  }
}

extension Span<Attribute> {
  /// Writes what the attribute at `handle` adds to the hash; `false` if it adds nothing.
  fileprivate func writeHashEntry(at handle: AttributeHandle, to writer: inout ByteWriter) -> Bool {
    // Declarations have the types 0x2800 to 0x2803, the included descriptors 0x2900 to 0x2905.
    guard let attribute = self[handle], let type = attribute.type.short,
      type & 0xFFFC == 0x2800 || (0x2900...0x2905).contains(type)
    else { return false }
    writer.write(handle.rawValue)
    writer.write(type)
    attribute.writeDeclaration(at: handle, among: self, to: &writer)
    if attribute.type == .characteristicExtendedProperties,
      case .number(let value, _) = attribute.value
    {
      writer.write(UInt16(truncatingIfNeeded: value))
    }
    return true
  }
}
