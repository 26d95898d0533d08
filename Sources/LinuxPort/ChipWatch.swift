import BluetoothHost
import Linux

/// Wakes the loop when a GPIO chip is added, removed or changes its permissions: inotify(7).
///
/// It reports only that something changed: the kernel may have dropped records, and what it
/// reported may be outdated.
struct ChipWatch: ~Copyable {
  private let descriptor: PortDescriptor

  /// Watches a directory; `nil` if the kernel refuses.
  init?(_ directory: StaticString, _ queue: borrowing PollQueue) {
    let number = unsafe clinux_watch_directory(directory.cText)
    guard number >= 0 else { return nil }
    descriptor = PortDescriptor(owning: number)
    queue.add(number, .chips, for: PollQueue.readable)
  }

  /// Reads the records; whether they concern a chip. The next turn reads what does not fit.
  func takeChange() -> Bool {
    var storage = InlineArray<1_024, UInt8>(repeating: 0)
    var space = storage.mutableSpan
    let number = descriptor.number
    let count = unsafe space.withUnsafeMutableBufferPointer {
      unsafe clinux_read(number, $0.baseAddress, $0.count)
    }
    guard count > 0, count <= 1_024 else { return false }
    return Self.isChange(storage.span.extracting(first: Int(truncatingIfNeeded: count)))
  }

  /// Whether the kernel's records concern a chip, or are incomplete.
  static func isChange(_ records: Span<UInt8>) -> Bool {
    var rest = records
    // A record has the watch, the mask, a cookie, the length of the name, and the name.
    while rest.count >= 16 {
      // IN_Q_OVERFLOW: records were dropped.
      if wordAt(4, of: rest) & 0x4000 != 0 { return true }
      let length = Int(truncatingIfNeeded: wordAt(12, of: rest))
      let name = rest.extracting(droppingFirst: 16)
      guard length >= 0, length <= name.count else { return false }
      if name.extracting(first: length).begins(with: "gpiochip") { return true }
      rest = name.extracting(droppingFirst: length)
    }
    return false
  }

  /// A number of a record's header in this machine's byte order.
  private static func wordAt(_ offset: Int, of record: Span<UInt8>) -> UInt32 {
    unsafe record.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }
}
