import Expectations
import LinuxRadio

/// The files of the repository, by their paths from its top.
package enum Repository {
  /// A page or a source that is missing.
  package struct Missing: Error { package var path: String }

  /// Two folders above this file's.
  private static let top =
    #filePath.split(separator: "/", omittingEmptySubsequences: false)
    .dropLast(3).joined(separator: "/") + "/"

  package static func text(of path: String) throws -> String {
    guard exists(path) else { throw Missing(path: path) }
    let bytes = try Files.bytes(of: top + path, limit: 1 << 20)
    return try #require(String(validating: bytes, as: UTF8.self), "\(path) is not UTF-8")
  }

  /// The names of the files in a folder, sorted.
  package static func files(in path: String) throws -> [String] {
    guard exists(path + "/.") else { throw Missing(path: path) }
    return Files.names(in: top + path)
  }

  package static func exists(_ path: String) -> Bool { Files.exists(top + path) }
}
