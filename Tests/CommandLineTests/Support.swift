import Glibc
import LinuxPort

@testable import eightball

/// Arguments after the program's name, which last until the end; `nil` is one that is not UTF-8.
private func list(_ texts: [String?]) -> UnsafePointer<UnsafePointer<CChar>?> {
  let list = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: texts.count + 2)
  for (index, text) in (["eightball"] + texts).enumerated() {
    let bytes = (text.map { Array($0.utf8) } ?? [0xFF]).map { CChar(bitPattern: $0) } + [0]
    unsafe (list + index).initialize(to: strdup(bytes).map { unsafe UnsafePointer($0) })
  }
  unsafe (list + texts.count + 1).initialize(to: nil)
  return unsafe UnsafePointer(list)
}

extension Launch {
  /// What these arguments ask for; `nil` is one that is not UTF-8.
  static func read(_ texts: [String?]) -> Launch { unsafe read(list(texts)) }
}

extension Command {
  /// The command with these arguments after its name.
  static func parse(_ texts: [String]) throws(UsageError) -> Self {
    guard let command = try unsafe Self(ArgumentList(list(texts)), asks: { _ in }) else {
      throw UsageError("It asks for the help or the version.")
    }
    return command
  }

  /// What is wrong with the command line.
  static func message(for error: any Error) -> String {
    (error as? UsageError)?.text ?? "\(error)"
  }
}
