import BallRunner
import BluetoothHost
import Foundation
import Glibc
import LinuxSystem
import Testing

@testable import Linux
@testable import LinuxPort

/// What the suites of the control socket share: a ball and a program at a path in a folder of the test.
protocol ControlTests {
  var folder: TestDirectory { get }
}

extension ControlTests {
  var path: String { folder.path + "/control" }

  func open() throws -> ControlBench {
    let bench = ControlBench(try makeQueue())
    try #require(bench.open(path))
    return bench
  }

  /// The result for a ball with this path.
  func ball(at path: String) throws -> (failure: ErrorNumber?, isTaken: Bool) {
    let bench = ControlBench(try makeQueue())
    #expect(!bench.open(path))
    return (bench.failure, bench.isTaken)
  }

  func connect() throws -> FileDescriptor { try StreamSocket.connect(path: path) }

  func connectRaw() throws -> CInt {
    let program = try connect()
    return dup(program.rawValue)
  }

  var exists: Bool { fileMode != nil }

  var fileMode: mode_t? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return status.st_mode & 0o777
  }

  func bind(_ descriptor: CInt) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = self.path
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { space in
      for (index, byte) in path.utf8.enumerated() { unsafe space[index] = byte }
    }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.bind(descriptor, $0, size)
      }
    }
    try #require(result == 0)
  }

  func write(_ program: borrowing FileDescriptor, _ text: String) {
    _ = try? program.write(Array(text.utf8).span)
  }

  /// What the ball has sent; empty if nothing, `nil` if it has closed the connection.
  func read(_ program: borrowing FileDescriptor) throws -> String? {
    var storage = [UInt8](repeating: 0, count: 4_096)
    var space = storage.mutableSpan
    switch try? program.read(into: &space) {
    case .nothingYet: return ""
    case nil, .end: return nil
    case .bytes(let count): return String(decoding: storage.prefix(count), as: UTF8.self)
    }
  }
}
