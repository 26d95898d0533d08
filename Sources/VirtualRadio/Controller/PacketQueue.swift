import BluetoothHost

/// Whole packets for the host, the oldest first, in one reused array.
struct PacketQueue {
  private struct Entry {
    var length: Int
    /// The sender's end of the link, if removing this packet frees its buffer.
    var completes: LinkEnd?
    var isReport: Bool
  }

  private var bytes: [UInt8] = []
  private var entries: [Entry] = []
  private var byteOffset = 0
  private var entryOffset = 0

  /// The number of packets.
  var count: Int { entries.count - entryOffset }

  /// How many of them are advertising reports.
  private(set) var reportCount = 0

  /// The first packet; empty if the queue is empty.
  var first: Span<UInt8> {
    @_lifetime(borrow self) get {
      guard entryOffset < entries.count else { return bytes.span.extracting(first: 0) }
      return bytes.span.extracting(byteOffset..<byteOffset + entries[entryOffset].length)
    }
  }

  /// The length and the type byte of the first packet; `nil` if the queue is empty.
  var head: (length: Int, type: UInt8)? {
    guard entryOffset < entries.count else { return nil }
    return (entries[entryOffset].length, bytes[byteOffset])
  }

  /// Adds one whole packet.
  mutating func append(_ packet: Span<UInt8>, isReport: Bool) {
    add(packet)
    entries.append(Entry(length: packet.count, completes: nil, isReport: isReport))
    if isReport { reportCount += 1 }
  }

  /// Adds an ACL packet.
  mutating func append(_ header: ACLHeader, _ data: Span<UInt8>, completing end: LinkEnd?) {
    var start = ByteBuffer<5>()
    start.write { header.write(dataLength: data.count, to: &$0) }
    add(start.span)
    add(data)
    entries.append(Entry(length: start.count + data.count, completes: end, isReport: false))
  }

  /// Removes the first packet. Returns the end of the link whose buffer that frees.
  mutating func removeFirst() -> LinkEnd? {
    guard entryOffset < entries.count else { return nil }
    let entry = entries[entryOffset]
    entries[entryOffset].completes = nil
    if entry.isReport { reportCount -= 1 }
    entryOffset += 1
    byteOffset += entry.length
    if entryOffset == entries.count {
      removeAll()
    } else if byteOffset > 16_384 {
      // Frees the front now and then, so that a queue that is never empty stays small.
      bytes.removeFirst(byteOffset)
      entries.removeFirst(entryOffset)
      byteOffset = 0
      entryOffset = 0
    }
    return entry.completes
  }

  /// Removes all packets.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
    byteOffset = 0
    entryOffset = 0
    reportCount = 0
  }

  private mutating func add(_ span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
  }
}
