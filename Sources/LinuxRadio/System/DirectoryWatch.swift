import Linux

/// Wakes a loop when names with a prefix are added to or removed from a directory, or their
/// permissions change: inotify(7).
public final class DirectoryWatch: EventHandler {
  private let changes: DirectoryChanges
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
    do throws(ErrorNumber) {
      changes = unsafe try DirectoryChanges(path)
    } catch {
      throw SystemError(error, "watch", path)
    }
    registration = try loop.add(number: changes.descriptor.number, for: .readable, handler: self)
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
    let prefix = self.prefix
    if changes.take(namesFrom: prefix.span) { hasChanged = true }
  }
}
