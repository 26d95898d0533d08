import Glibc

/// Wakes a loop when names with a prefix are added to or removed from a directory, or their
/// permissions change: inotify(7).
///
/// It reports that something changed, not what: the kernel may have dropped records, and a record
/// may be outdated. The owner has to look.
public final class DirectoryWatch: EventHandler {
  private let descriptor: FileDescriptor
  private let prefix: [UInt8]
  private let loop: EventLoop
  private var registration: EventLoop.Registration?
  private var hasChanged = false

  /// Watches the names in the directory `path` that begin with `prefix`, for `loop`. Changes of
  /// other names also wake the loop, but are ignored here.
  ///
  /// - Throws: Why `path` cannot be watched, such as `noSuchFile`; EMFILE or `noSpace` at this
  ///   user's limit of watches.
  public init(_ path: String, namesFrom prefix: String, loop: EventLoop) throws(SystemError) {
    self.prefix = Array(prefix.utf8)
    self.loop = loop
    let number = try SystemCall.run("watch", path) {
      inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
    }
    descriptor = FileDescriptor(owning: number, name: path)
    try SystemCall.run("watch", path) { unsafe inotify_add_watch(number, path, Self.interest) }
    registration = try loop.add(descriptor, for: .readable, handler: self)
  }

  /// Whether a name was added, removed or changed since the last call.
  public func takeChange() -> Bool {
    defer { hasChanged = false }
    return hasChanged
  }

  /// Stops watching.
  public func stop() {
    if let registration { loop.remove(registration) }
    registration = nil
    hasChanged = false
  }

  /// Reads the kernel's records. What does not fit is read in the loop's next turn.
  public func handle(_ readiness: Readiness, token: Int) {
    var storage = InlineArray<4096, UInt8>(repeating: 0)
    var records = storage.mutableSpan
    guard case .bytes(let count)? = try? descriptor.read(into: &records) else { return }
    let read = storage.span
    let prefix = self.prefix
    if Self.isChange(read.extracting(first: count), prefix: prefix.span) { hasChanged = true }
  }

  /// Created, removed, renamed from or to, and a change of owner or permissions.
  private static let interest =
    UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
    | UInt32(IN_ATTRIB) | UInt32(IN_ONLYDIR)

  /// The watch, the mask, a cookie and the length of the name, which follows.
  private static let headerSize = 16

  private static func number(at offset: Int, of record: Span<UInt8>) -> UInt32 {
    // In the byte order of this machine, and within the header, which is there.
    unsafe record.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }

  /// Whether a record has a name with the prefix, or says that records were dropped.
  static func isChange(_ records: Span<UInt8>, prefix: Span<UInt8>) -> Bool {
    var rest = records
    while rest.count >= headerSize {
      let mask = number(at: 4, of: rest)
      // Records were dropped, perhaps of these names.
      if mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
      let length = Int(number(at: 12, of: rest))
      let name = rest.extracting(droppingFirst: headerSize)
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
}
