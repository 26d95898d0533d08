import Glibc

/// Tells a loop when certain names of a directory come, go or change their permissions, so that
/// nobody needs to look from time to time: inotify(7).
///
/// It says that something has happened, not what: the kernel may have left out what it had no room
/// for, and what it told may be past by now. Whoever is told has to look.
public final class DirectoryWatch: EventHandler {
  private let descriptor: FileDescriptor
  private let prefix: [UInt8]
  private let loop: EventLoop
  private var registration: EventLoop.Registration?
  private var hasChanged = false

  /// Watches the names in the directory `path` that begin with `prefix`, for `loop`. What comes or
  /// goes under another name wakes the loop as well, and is left out here.
  ///
  /// - Throws: What the kernel has against `path`, such as `noSuchFile`; or EMFILE or `noSpace`, if
  ///   this user watches as much as it allows.
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

  /// Whether a name has come, gone or changed since this was last asked.
  public func takeChange() -> Bool {
    defer { hasChanged = false }
    return hasChanged
  }

  /// Watches no more.
  public func stop() {
    if let registration { loop.remove(registration) }
    registration = nil
    hasChanged = false
  }

  /// The kernel has something to tell. What does not fit is told in the loop's next turn.
  public func handle(_ readiness: Readiness, token: Int) {
    var storage = InlineArray<4096, UInt8>(repeating: 0)
    var records = storage.mutableSpan
    guard case .bytes(let count)? = try? descriptor.read(into: &records) else { return }
    let told = storage.span
    let prefix = self.prefix
    if Self.isChange(told.extracting(first: count), prefix: prefix.span) { hasChanged = true }
  }

  /// Made, removed, renamed from or to, and a change of owner or permissions.
  private static let interest =
    UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
    | UInt32(IN_ATTRIB) | UInt32(IN_ONLYDIR)

  /// The watch, the mask, a cookie and the length of the name, which follows.
  private static let headerSize = 16

  private static func number(at offset: Int, of record: Span<UInt8>) -> UInt32 {
    // In the byte order of this machine, and within the header, which is there.
    unsafe record.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }

  /// Whether the kernel's records are of a name with the prefix, or of more than they say.
  static func isChange(_ records: Span<UInt8>, prefix: Span<UInt8>) -> Bool {
    var rest = records
    while rest.count >= headerSize {
      let mask = number(at: 4, of: rest)
      // Records were dropped: nobody knows of which names.
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
