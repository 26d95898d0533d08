import BluetoothHost
import LinuxSystem

/// Keeps the bonds of a ball in its file.
///
/// Whatever is wrong with the file, the ball runs: its bonds then last as long as it does.
struct BondKeeper: ~Copyable {
  /// The name of the file of a ball's bonds.
  static let fileName = "ball.bonds"

  private var file: BondFile?
  /// Why the last file was not written, or why there is none.
  private(set) var trouble: String?
  /// What the user should know of the file that was there; `nil` if all is well.
  private(set) var notice: String?
  /// The bonds as they were in the file.
  var bonds = BondTable<16>()
  /// Who the ball was.
  private(set) var identity: LocalIdentity?

  /// Reads the file at `path`.
  ///
  /// - Parameter path: `nil` if the environment names no place for it.
  init(_ path: String? = BondFile.path(of: fileName)) {
    guard let path else {
      trouble = "neither HOME nor XDG_STATE_HOME says where to keep them"
      notice = trouble
      return
    }
    var file = BondFile(path)
    do throws(SystemError) {
      var content = try file.open()
      notice = content.notice
      identity = content.identity
      bonds = content.takeBonds()
      self.file = consume file
    } catch {
      trouble = error.description
      notice = trouble
    }
  }

  /// Takes the bonds out: they are the ball's from now on.
  mutating func takeBonds() -> BondTable<16> {
    var taken = BondTable<16>()
    swap(&taken, &bonds)
    return taken
  }

  /// Writes the file anew; `false` if that is not possible.
  mutating func keep(_ bytes: Span<UInt8>) -> Bool {
    guard file != nil else { return false }
    do throws(SystemError) {
      try file?.save(bytes)
      trouble = nil
      return true
    } catch {
      trouble = error.description
      return false
    }
  }
}
