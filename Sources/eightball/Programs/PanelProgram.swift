import Glibc
import LinuxSystem

/// The server of the panel and of metrics. It is a separate program, so that building it is
/// optional.
enum PanelProgram {
  /// The name of its file.
  static let name = "eightball-panel"

  /// Its path: beside this program, or where a package installs it; `nil` if it is missing.
  static var path: String? {
    let folder = CurrentProcess.programPath.split(separator: "/", omittingEmptySubsequences: false)
      .dropLast().joined(separator: "/")
    return ["\(folder)/\(name)", "\(folder)/../libexec/eightball/\(name)"]
      .first { unsafe access($0, X_OK) == 0 }
  }

  /// What is wrong if it is missing, and what to do, without a full stop.
  static var isMissing: String {
    "\(name) is missing: it is expected beside \(CurrentProcess.programPath) or in "
      + "../libexec/eightball. In a checkout, build it with scripts/build panel"
  }

  /// Replaces this process by the program `arguments[0]`: execv(3). Returns the error if that
  /// fails.
  static func become(_ arguments: [String]) -> SystemError {
    let program = arguments.first ?? ""
    var texts = unsafe arguments.map { unsafe strdup($0) } + [nil]
    unsafe execv(program, &texts)
    let code = errno
    unsafe texts.forEach { unsafe free($0) }
    return SystemError(ErrorNumber(rawValue: code), "start", program)
  }
}
