import BluetoothHost

/// Reports that names with a prefix were added to or removed from a directory, or that their
/// permissions changed: inotify(7).
///
/// It reports that something changed, not what: the kernel may have dropped records, and a record may
/// be outdated. The owner has to look.
package struct DirectoryChanges: ~Copyable {
  /// Readable while there are records, of any names.
  package let descriptor: PortDescriptor

  /// Watches the names in a directory.
  ///
  /// - Throws: Why it cannot be watched, such as `noSuchFile`; EMFILE or `noSpace` at this user's
  ///   limit of watches.
  @unsafe
  package init(_ path: UnsafePointer<CChar>?) throws(ErrorNumber) {
    let number = unsafe clinux_watch_directory(path)
    guard number >= 0 else { throw ErrorNumber(number) }
    descriptor = PortDescriptor(owning: number)
  }

  /// Reads the records, and returns whether they concern a name with the prefix. What does not fit is
  /// read with the next call.
  package func take(namesFrom prefix: Span<UInt8>) -> Bool {
    var storage = InlineArray<1_024, UInt8>(repeating: 0)
    var space = storage.mutableSpan
    guard case .bytes(let count) = descriptor.read(into: &space), count <= 1_024 else {
      return false
    }
    return Self.isChange(storage.span.extracting(first: count), namesFrom: prefix)
  }

  /// Whether the kernel's records concern a name with the prefix, or are incomplete.
  package static func isChange(_ records: Span<UInt8>, namesFrom prefix: Span<UInt8>) -> Bool {
    var rest = records
    // A record has the watch, the mask, a cookie, the length of the name, and the name.
    while rest.count >= 16 {
      // IN_Q_OVERFLOW: records were dropped.
      if wordAt(4, of: rest) & 0x4000 != 0 { return true }
      let length = Int(truncatingIfNeeded: wordAt(12, of: rest))
      let name = rest.extracting(droppingFirst: 16)
      // The kernel cuts no record.
      guard length <= name.count else { return false }
      if begins(name.extracting(first: length), with: prefix) { return true }
      rest = name.extracting(droppingFirst: length)
    }
    return false
  }

  private static func begins(_ name: Span<UInt8>, with prefix: Span<UInt8>) -> Bool {
    guard !prefix.isEmpty, name.count >= prefix.count else { return false }
    for index in prefix.indices where name[index] != prefix[index] { return false }
    return true
  }

  /// A number of a record's header in this machine's byte order.
  private static func wordAt(_ offset: Int, of record: Span<UInt8>) -> UInt32 {
    unsafe record.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }
}
