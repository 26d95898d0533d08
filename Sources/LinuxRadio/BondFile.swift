import BluetoothHost
import Glibc
import Linux

/// The file of the bonds of a user's program: `PortBonds`, with errors that are thrown.
public struct BondFile: ~Copyable {
  /// Its path.
  public let path: String

  private var file: PortBonds
  /// Whether this program has locked it.
  private var isOpen = false

  /// The file at `path`, which need not exist yet.
  public init(_ path: String) {
    self.path = path
    file = PortBonds(at: Array(path.utf8).span)
  }

  /// The content of a file.
  public struct Content: ~Copyable {
    /// The bonds; empty if the file is missing or unusable.
    public var bonds = BondTable<16>()
    /// This device's identity when the file was written; `nil` if unknown.
    public var identity: LocalIdentity?
    /// A warning about the file for the user, without a full stop; `nil` if the file is good.
    public var notice: String?

    /// Moves the bonds to the caller.
    public mutating func takeBonds() -> BondTable<16> {
      var taken = BondTable<16>()
      swap(&taken, &bonds)
      return taken
    }
  }

  /// The path of the file `name` in the folder for the state of a service or of a user, where a
  /// ball also keeps its bonds.
  ///
  /// - Returns: `nil` if the environment names no folder. A variable without an absolute path is
  ///   ignored.
  public static func path(
    of name: String, environment: (String) -> String? = { CurrentProcess.environment($0) }
  ) -> String? {
    func variable(_ name: String) -> ProgramText? {
      environment(name).map { ProgramText(lasting: $0) }
    }
    let file = PortBonds(
      ProgramText(lasting: name), state: variable("STATE_DIRECTORY"),
      user: variable("XDG_STATE_HOME"), home: variable("HOME"))
    // A closure that captures the file crashes the compiler (6.3.1).
    let location = file.location
    guard !location.isEmpty else { return nil }
    var bytes: [UInt8] = []
    for index in location.indices { bytes.append(location[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads the file at `path`, and changes nothing: neither the file, its folder nor its lock.
  /// Another process may be using it.
  ///
  /// - Returns: `nil` if there is no file.
  /// - Throws: `accessDenied` or `notPermitted` if it is another user's; `invalidArgument` if it is
  ///   not a file of bonds, or a damaged one; why else it cannot be read.
  public static func read(_ path: String) throws(SystemError) -> Content? {
    var it = BondFile(path)
    var content = Content()
    switch it.file.read(into: &content.bonds) {
    case .missing: return nil
    case .failed: throw it.error
    case .read(let identity):
      content.identity = identity
      content.notice = it.notice
      return content
    }
  }

  /// Locks the file, and then reads it: no other process can `open` it while this value exists. A
  /// missing folder is created (mode 0700).
  ///
  /// - Throws: `busy` if another process has it; what `read` throws; why its folder or its lock
  ///   cannot be created. The bonds can still be kept in memory then.
  public mutating func open() throws(SystemError) -> Content {
    var content = Content()
    content.identity = file.open(into: &content.bonds, settingAside: false)
    guard file.code == nil else { throw error }
    isOpen = true
    content.notice = notice
    return content
  }

  /// Replaces the file.
  ///
  /// - Throws: Why that failed; the old file stays then.
  public mutating func save<Bonds: BondStore & ~Copyable>(
    _ bonds: borrowing Bonds, identity: LocalIdentity?
  ) throws(SystemError) {
    var bytes = BondFileBytes()
    BondFileFormat.write(bonds, identity: identity, to: &bytes)
    do throws(SystemError) {
      try save(bytes.span)
      bytes.wipe()
    } catch {
      bytes.wipe()
      throw error
    }
  }

  /// Replaces the file by these bytes of `BondFileFormat`.
  ///
  /// - Throws: Why that failed; the old file stays then. `busy` if the file is not open.
  public mutating func save(_ bytes: Span<UInt8>) throws(SystemError) {
    guard isOpen else {
      throw SystemError(.busy, "write", path, explanation: "this program has not locked it")
    }
    guard file.keep(bytes) else { throw error }
  }

  private var notice: String? {
    file.hasNotice ? String(writing: { file.writeNotice(to: &$0) }) : nil
  }

  /// Why the last call on the file failed.
  private var error: SystemError {
    SystemError(
      file.code ?? .invalidArgument,
      String(writing: { file.writeOperation(to: &$0) }), path,
      explanation: String(writing: { file.writeReason(to: &$0) }))
  }
}

extension ProgramText {
  /// A copy of `text` that lasts until the program ends.
  package init(lasting text: String) {
    guard let copy = unsafe strdup(text) else {
      self = ProgramText("")
      return
    }
    self = unsafe ProgramText(c: copy)
  }
}
