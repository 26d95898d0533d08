// board-table OUTPUT FILE…: writes a Swift file with the boards of the files, as a BoardTable. The build
// plugin BoardTablePlugin runs it.
//
// SwiftPM builds it for each package that uses this one. Such a package does not need it, and turns
// off the trait that enables the libraries for it.

#if Tools
  import Foundation
  import LinuxBoard

  func fail(_ lines: [String]) -> Never {
    FileHandle.standardError.write(Data(lines.map { "error: \($0)\n" }.joined().utf8))
    exit(1)
  }

  let arguments = CommandLine.arguments.dropFirst()
  guard arguments.count > 1, let output = arguments.first else {
    fail(["expected board-table OUTPUT FILE…: the Swift file to write, and the board files"])
  }

  do {
    let source = try BoardTableSource(paths: Array(arguments.dropFirst()))
    try Data(source.text.utf8).write(to: URL(filePath: output))
  } catch let failure as BoardTableSource.Failure {
    fail(failure.errors.map(\.description))
  } catch {
    fail(["cannot write \(output): \(error.localizedDescription)"])
  }
#endif
