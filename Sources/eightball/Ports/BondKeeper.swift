import BluetoothHost
import LinuxSystem

/// Keeps the bonds of a ball in its file.
///
/// If the file cannot be used, the ball still runs: its bonds then last until it ends.
struct BondKeeper: ~Copyable {
  /// The name of the file of a ball's bonds.
  static let fileName = "ball.bonds"

  private var file: BondFile?
  /// Why the last write failed, or why there is no file.
  private(set) var trouble: String?
  /// A warning about the file for the user; `nil` if the file is good.
  private(set) var notice: String?
  /// The bonds that the file had.
  var bonds = BondTable<16>()
  /// The identity that the file had.
  private(set) var identity: LocalIdentity?

  /// Locks and reads the file at `path`. A damaged or foreign file is renamed.
  ///
  /// - Parameter path: `nil` if the environment names no folder for it.
  init(_ path: String? = BondFile.path(of: fileName)) {
    guard let path else {
      trouble = "HOME and XDG_STATE_HOME name no folder for the bonds: set one of them"
      notice = trouble
      return
    }
    var file = BondFile(path)
    do throws(SystemError) {
      // No option names the file of a ball's bonds: it is the ball's own.
      var content = try file.open(settingAside: true)
      notice = content.notice
      identity = content.identity
      bonds = content.takeBonds()
      self.file = consume file
    } catch {
      trouble = error.description
      notice = trouble
    }
  }

  /// Moves the bonds to the caller.
  mutating func takeBonds() -> BondTable<16> {
    var taken = BondTable<16>()
    swap(&taken, &bonds)
    return taken
  }

  /// Writes the file; `false` if that fails.
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
