import BluetoothHost
import CLinuxPort

/// Wakes the loop when a GPIO chip comes, goes or changes its permissions: inotify(7).
///
/// It reports that something has happened, not what: the kernel may have left out what it had no room
/// for, and what it reported may be past by now.
struct ChipWatch: ~Copyable {
  private let descriptor: PortDescriptor

  /// Watches a directory; `nil` if the kernel does not let this user watch.
  init?(_ directory: StaticString, _ queue: borrowing PollQueue) {
    let number = unsafe clinuxport_watch_directory(directory.cText)
    guard number >= 0 else { return nil }
    descriptor = PortDescriptor(owning: number)
    queue.add(number, .chips, for: PollQueue.readable)
  }

  /// Reads what has happened: whether it concerns a chip. The next turn reads what does not fit.
  func takeChange() -> Bool {
    var storage = InlineArray<1_024, UInt8>(repeating: 0)
    var space = storage.mutableSpan
    let number = descriptor.number
    let count = unsafe space.withUnsafeMutableBufferPointer {
      unsafe clinuxport_read(number, $0.baseAddress, $0.count)
    }
    guard count > 0, count <= 1_024 else { return false }
    return Self.isChange(storage.span.extracting(first: Int(truncatingIfNeeded: count)))
  }

  /// Whether the kernel's records are about a chip, or incomplete.
  static func isChange(_ records: Span<UInt8>) -> Bool {
    var rest = records
    // A record is the watch, the mask, a cookie, the length of the name, and the name.
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

  /// A number in the byte order of this machine, within the header, which is there.
  private static func wordAt(_ offset: Int, of record: Span<UInt8>) -> UInt32 {
    unsafe record.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }
}
