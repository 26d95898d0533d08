import BluetoothHost

/// A file of bonds: that of a ball, or of another program.
///
/// Only its owner can read it (mode 0600). It is never changed in place: a new file is written
/// beside it, and renamed over it after fsync. So a crash at any moment leaves the old file or the
/// new one. One process at a time may write it: the one with the lock (flock(2)) on the file
/// `NAME.lock` beside it, which stays there.
///
/// If the file cannot be used, a ball runs all the same: its bonds then last until it ends.
public struct PortBonds: ~Copyable {
  /// The step that failed.
  private enum Step {
    case location, makeFolder, read, use, setAside, write

    /// The text of the step, to follow "cannot".
    var words: StaticString {
      switch self {
      case .location: "find a place for the bonds"
      case .makeFolder: "make the folder of"
      case .read: "read"
      case .use: "use"
      case .setAside: "rename"
      case .write: "write"
      }
    }
  }

  /// The result of `read`.
  package enum ReadResult {
    /// There is no file.
    case missing
    /// The bonds were read. The identity is `nil` if it is unknown.
    case read(LocalIdentity?)
    /// The file cannot be used: see `writeError`.
    case failed
  }

  private var path = InlineCString<256>()
  /// The lock, in the file `NAME.lock`; `nil` without it.
  private var lock: PortDescriptor?
  /// Why the last call failed; `nil` if it succeeded.
  private var failure: (step: Step, code: ErrorNumber)?
  /// What is wrong with the file that was read; `nil` if nothing is.
  private var fault: BondFileError?
  /// Whether other users had permissions for the file.
  private var wasOpenToOthers = false
  /// Whether it is used at all: a ball that protects nothing keeps no bonds.
  public private(set) var isInUse = false

  /// The file `ball.bonds` in the service's folder, $STATE_DIRECTORY, or else in the folder
  /// `eightball` of $XDG_STATE_HOME, or else of ~/.local/state.
  public init() {
    self.init(
      state: ProgramText(environment: "STATE_DIRECTORY"),
      user: ProgramText(environment: "XDG_STATE_HOME"), home: ProgramText(environment: "HOME"))
  }

  /// The file `name` in the folder that these environment variables name: systemd.exec(5), XDG Base
  /// Directory Specification 0.8. One without an absolute path is ignored.
  package init(
    _ name: ProgramText = ProgramText("ball.bonds"), state: ProgramText?, user: ProgramText?,
    home: ProgramText?
  ) {
    var location = ByteBuffer<256>()
    location.write { writer in
      if let state, state.span.begins(with: "/") {
        let end = state.span.firstIndex(of: UInt8(ascii: ":")) ?? state.count
        writer.write(state.span.extracting(first: end))
      } else if let user, user.span.begins(with: "/") {
        writer.write(user.span)
        writer.write(text: "/eightball")
      } else if let home, home.span.begins(with: "/") {
        writer.write(home.span)
        writer.write(text: "/.local/state/eightball")
      } else {
        return
      }
      writer.write(text: "/")
      writer.write(name.span)
      // A cut path would be another file's.
      if writer.hasOverflowed || writer.count > Self.longestPath { writer.truncate(to: 0) }
    }
    self.init(at: location.span)
    if location.isEmpty { failure = (.location, .noSuchFile) }
  }

  /// The file at a path of 1 to 240 bytes, which need not exist yet.
  package init(at location: Span<UInt8>) {
    if location.isEmpty || location.count > Self.longestPath || !path.assign(location) {
      failure = (.use, .nameTooLong)
    }
  }

  /// C's buffers have room for a suffix.
  private static var longestPath: Int { 240 }

  /// The bytes of the path; empty without one.
  package var location: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { path.span }
  }

  // MARK: Reading

  /// Reads the file into `bonds`, and changes nothing: neither the file, its folder nor its lock.
  /// Another process may be using it.
  package mutating func read(into bonds: inout BondTable<16>) -> ReadResult {
    guard path.count > 0 else { return .failed }
    (failure, fault) = (nil, nil)
    var openToOthers: Int32 = 0
    let number = unsafe path.withPointer { unsafe clinux_read_bonds($0, &openToOthers) }
    guard number >= 0 else { return fail(ErrorNumber(number)) ? .failed : .missing }
    wasOpenToOthers = openToOthers != 0
    do throws(BondFileError) {
      return .read(try Self.take(PortDescriptor(owning: number), into: &bonds))
    } catch {
      fault = error
      failure = (.use, .invalidArgument)
      return .failed
    }
  }

  /// Locks the file for this process, and then reads it into `bonds`. Makes the folder if it is
  /// missing.
  ///
  /// - Parameter settingAside: Whether to rename a truncated, damaged or foreign file, and go on
  ///   without bonds. Only for a path that no user has named.
  /// - Returns: The identity when the file was written; `nil` if that is unknown.
  public mutating func open(
    into bonds: inout BondTable<16>, settingAside: Bool = true
  ) -> LocalIdentity? {
    isInUse = true
    guard path.count > 0 else { return nil }
    (failure, fault) = (nil, nil)
    guard makeFolder() else { return nil }
    // No lock is made beside a file that is not one of bonds.
    if !settingAside, case .failed = read(into: &bonds) { return nil }
    var openToOthers: Int32 = 0
    var lock: Int32 = -1
    let number = unsafe path.withPointer {
      unsafe clinux_open_bonds($0, &lock, &openToOthers)
    }
    if lock >= 0 { self.lock = PortDescriptor(owning: lock) }
    guard number >= 0 else {
      _ = fail(ErrorNumber(number))
      return nil
    }
    wasOpenToOthers = openToOthers != 0
    do throws(BondFileError) {
      return try Self.take(PortDescriptor(owning: number), into: &bonds)
    } catch {
      fault = error
      if settingAside { setAside() } else { failure = (.use, .invalidArgument) }
      return nil
    }
  }

  /// The file could not be opened; `false` if it is only missing.
  private mutating func fail(_ code: ErrorNumber) -> Bool {
    guard code != .noSuchFile else { return false }
    // In use, another user's, or not a regular file.
    let isUse = code == .busy || code == .notPermitted || code == .invalidArgument
    failure = (isUse ? .use : .read, code)
    return true
  }

  private static func take(
    _ file: borrowing PortDescriptor, into bonds: inout BondTable<16>
  ) throws(BondFileError) -> LocalIdentity? {
    var bytes = InlineArray<2_048, UInt8>(repeating: 0)
    var count = 0
    let number = file.number
    while count < 2_048 {
      var space = bytes.mutableSpan
      let size = 2_048 - count
      let more = unsafe space.withUnsafeMutableBufferPointer {
        unsafe clinux_read(number, $0.baseAddress.map { unsafe $0 + count }, size)
      }
      guard more > 0 else { break }
      count += Int(truncatingIfNeeded: more)
    }
    return try BondFileFormat.read(bytes.span.extracting(first: count), into: &bonds)
  }

  private mutating func setAside() {
    let result = unsafe path.withPointer { unsafe clinux_set_aside($0) }
    if result < 0 { failure = (.setAside, ErrorNumber(result)) }
  }

  private mutating func makeFolder() -> Bool {
    let result = unsafe path.withPointer { unsafe clinux_make_folders($0) }
    if result < 0 { failure = (.makeFolder, ErrorNumber(result)) }
    return result >= 0
  }

  // MARK: Writing

  /// Replaces the file; `false` if that fails.
  public mutating func keep(_ bytes: Span<UInt8>) -> Bool {
    guard path.count > 0, lock != nil else { return false }
    // A file that cannot be read is not replaced: it may be another program's.
    if let failure, failure.step != .write { return false }
    let result = unsafe path.withPointer { path in
      unsafe bytes.withUnsafeBufferPointer {
        unsafe clinux_replace(path, $0.baseAddress, $0.count)
      }
    }
    guard result >= 0 else {
      failure = (.write, ErrorNumber(result))
      return false
    }
    failure = nil
    return true
  }

  // MARK: Texts

  /// Why the last call failed; `nil` if it succeeded.
  package var code: ErrorNumber? { failure?.code }

  /// Whether there is something to report about the previous file.
  public var hasNotice: Bool { fault != nil || wasOpenToOthers || failure != nil }

  /// Writes the report about the previous file, without a full stop.
  public func writeNotice(to writer: inout ByteWriter) {
    if failure != nil { return writeError(to: &writer) }
    if let fault {
      writer.write(text: "the file ")
      writer.writePrefix(of: path.span)
      writer.write(text: " ")
      fault.write(to: &writer)
      writer.write(text: "; its name now ends in .unusable, and its bonds are not used")
      return
    }
    writer.write(text: lock == nil ? "other users can read" : "other users could read")
    writer.write(text: " or write ")
    writer.writePrefix(of: path.span)
    writer.write(text: ", and may know its keys")
    writer.write(text: lock == nil ? ". " : "; now only its owner can. ")
    writer.write(text: "To be safe, forget these bonds and pair again")
  }

  /// Writes why the bonds cannot be kept, without a full stop.
  public func writeError(to writer: inout ByteWriter) {
    guard let failure else { return }
    writer.write(text: "cannot ")
    writeOperation(to: &writer)
    if failure.step != .location {
      writer.write(text: " ")
      writer.writePrefix(of: path.span)
    }
    writer.write(text: ": ")
    writeReason(to: &writer)
  }

  /// Writes the operation that failed, to follow "cannot".
  package func writeOperation(to writer: inout ByteWriter) {
    if let failure { writer.write(text: failure.step.words) }
  }

  /// Writes why it failed.
  package func writeReason(to writer: inout ByteWriter) {
    guard let failure else { return }
    switch (failure.step, failure.code) {
    case (.location, _):
      writer.write(text: "neither STATE_DIRECTORY, XDG_STATE_HOME nor HOME names one")
    case (.use, .nameTooLong):
      writer.write(text: "the path of a file of bonds has 1 to 240 bytes")
    case (.use, .busy): writer.write(text: "another program is using these bonds")
    case (.use, .notPermitted):
      writer.write(text: "it is another user's. Run as that user, or with sudo")
    case (.use, _):
      guard let fault else { return writer.write(text: "it is not a regular file") }
      writer.write(text: "it ")
      fault.write(to: &writer)
      writer.write(text: ". Name another file, or remove it if nothing needs it")
    case (.read, .accessDenied):
      writer.write(text: "this user may not read it. Run as its owner, or with sudo")
    default:
      guard let words = unsafe clinux_words(failure.code.rawValue) else { return }
      writer.write(start: unsafe ProgramText(c: words).span)
    }
  }
}

extension BondFileError {
  /// Writes what is wrong with the file, to follow its name.
  fileprivate func write(to writer: inout ByteWriter) {
    switch self {
    case .foreign: writer.write(text: "is not a file of bonds")
    case .cut: writer.write(text: "ends too early")
    case .damaged: writer.write(text: "is damaged")
    case .version(let number):
      writer.write(text: "has the format ")
      writer.write(decimal: UInt32(number))
      writer.write(text: ", which this version does not know")
    }
  }
}
