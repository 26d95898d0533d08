import BluetoothHost
import Linux
import LinuxErrors

// A program without protection has neither this code nor its texts: scripts/build-eightballd.

/// The bond file of a ball, for a program without a heap; the format is that of `BondFile`.
///
/// If the file cannot be used, the ball runs all the same: its bonds then last until it ends.
public struct PortBonds: ~Copyable {
  /// The step that failed.
  private enum Step {
    case location, makeFolder, read, setAside, write

    /// The text of the step, to follow "cannot".
    var words: StaticString {
      switch self {
      case .location: "find a place for the bonds"
      case .makeFolder: "make the folder of "
      case .read: "use "
      case .setAside: "rename "
      case .write: "write "
      }
    }
  }

  private var path = CText<256>()
  /// The lock, in the file `ball.bonds.lock`; `nil` without it.
  private var lock: PortDescriptor?
  /// Why the last call failed; `nil` if it succeeded.
  private var failure: (step: Step, code: ErrorNumber)?
  /// Why the previous file was renamed; `nil` if it was not.
  private var fault: BondFileFault?
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

  init(state: ProgramText?, user: ProgramText?, home: ProgramText?) {
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
      writer.write(text: "/ball.bonds")
      // A cut path would be another file's.
      if writer.hasOverflowed || writer.count > 240 { writer.truncate(to: 0) }
    }
    if location.isEmpty || !path.assign(location.span) {
      failure = (.location, ErrorNumber(rawValue: 2))
    }
  }

  /// The bytes of the path.
  var location: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { path.span }
  }

  // MARK: Reading

  /// Locks the file for this process, and then reads it into `bonds`. Makes the folder if it is
  /// missing.
  ///
  /// - Returns: The ball's identity when the file was written; `nil` if that is unknown.
  public mutating func open(into bonds: inout BondTable<16>) -> LocalIdentity? {
    isInUse = true
    guard path.count > 0, makeFolder() else { return nil }
    var openToOthers: Int32 = 0
    var lock: Int32 = -1
    let number = unsafe path.withPointer {
      unsafe clinux_open_bonds($0, &lock, &openToOthers)
    }
    if lock >= 0 { self.lock = PortDescriptor(owning: lock) }
    guard number >= 0 else {
      let code = ErrorNumber(number)
      if code.rawValue != 2 { failure = (.read, code) }
      return nil
    }
    wasOpenToOthers = openToOthers != 0
    var bytes = InlineArray<2_048, UInt8>(repeating: 0)
    var count = 0
    while count < 2_048 {
      var space = bytes.mutableSpan
      let size = 2_048 - count
      let more = unsafe space.withUnsafeMutableBufferPointer {
        unsafe clinux_read(number, $0.baseAddress.map { unsafe $0 + count }, size)
      }
      guard more > 0 else { break }
      count += Int(truncatingIfNeeded: more)
    }
    clinux_close(number)
    do throws(BondFileFault) {
      return try BondFileFormat.read(bytes.span.extracting(first: count), into: &bonds)
    } catch {
      fault = error
      setAside()
      return nil
    }
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

  /// Whether there is something to report about the previous file.
  public var hasNotice: Bool { fault != nil || wasOpenToOthers || failure != nil }

  /// Writes the report about the previous file, without a full stop.
  public func writeNotice(to writer: inout ByteWriter) {
    if failure != nil { return writeTrouble(to: &writer) }
    if let fault {
      writer.write(text: "the file ")
      writer.writePrefix(of: path.span)
      fault.write(to: &writer)
      writer.write(text: "; its name now ends in .unusable, and its bonds are not used")
      return
    }
    writer.write(text: "other users could read or write ")
    writer.writePrefix(of: path.span)
    writer.write(
      text: """
        , and may know its keys; now only its owner can. To be safe, forget these bonds and pair again
        """)
  }

  /// Writes why the bonds cannot be kept, without a full stop.
  public func writeTrouble(to writer: inout ByteWriter) {
    guard let failure else { return }
    writer.write(text: "cannot ")
    writer.write(text: failure.step.words)
    guard failure.step != .location else {
      writer.write(text: ": neither STATE_DIRECTORY, XDG_STATE_HOME nor HOME names one")
      return
    }
    writer.writePrefix(of: path.span)
    writer.write(text: ": ")
    // EBUSY and EPERM have their own texts here.
    switch failure.code.rawValue {
    case 16: writer.write(text: "another program is using these bonds")
    case 1: writer.write(text: "it is another user's")
    default:
      guard let words = unsafe clinux_words(failure.code.rawValue) else { return }
      writer.write(start: unsafe ProgramText(c: words).span)
    }
  }
}

extension BondFileFault {
  /// Writes what is wrong with the file, to follow its name.
  fileprivate func write(to writer: inout ByteWriter) {
    switch self {
    case .foreign: writer.write(text: " is not a file of bonds")
    case .cut: writer.write(text: " ends too early")
    case .damaged: writer.write(text: " is damaged")
    case .version(let number):
      writer.write(text: " has the format ")
      writer.write(decimal: UInt32(number))
      writer.write(text: ", which this version does not know")
    }
  }
}

extension LinuxPort {
  /// Whether the ball keeps bonds: it does if it protects its links.
  public var keepsBonds: Bool { bonds.isInUse }

  /// Opens the file of the bonds: see `PortBonds.open`.
  public mutating func openBonds(into table: inout BondTable<16>) -> LocalIdentity? {
    bonds.open(into: &table)
  }

  /// Replaces the bond file.
  public mutating func keepBonds(_ file: Span<UInt8>) -> Bool { bonds.keep(file) }

  /// Writes why the bonds cannot be kept.
  public func writeBondsTrouble(to writer: inout ByteWriter) { bonds.writeTrouble(to: &writer) }
}
