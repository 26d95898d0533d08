import Glibc
import LinuxSystem
import LinuxTestSupport
import Testing

@Suite("Stream sockets")
struct StreamSocketTests {
  @Test("A UNIX socket: only its user can connect, and it leaves no files")
  func unixSocket() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/air.sock"
    do {
      let listener = try StreamListener(path: path)
      var status = stat()
      #expect(unsafe lstat(path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
      #expect(try listener.isIdle())

      let client = try StreamSocket.connect(path: path)
      let server = try listener.acceptNow()
      #expect(try server.readAll() == [])
      #expect(try client.write([1, 2, 3].span) == 3)
      #expect(try server.readAll() == [1, 2, 3])
    }
    #expect(directory.names == [])
  }

  @Test("The end of the other side and a write without a reader are errors, and do no harm")
  func ends() throws {
    let directory = try TemporaryDirectory()
    let listener = try StreamListener(path: directory.path + "/s")
    let client = try StreamSocket.connect(path: directory.path + "/s")
    do { _ = try listener.acceptNow() }
    #expect(try client.readAll() == nil)
    #expect(throws: SystemError(.brokenPipe, "write to", client.name)) {
      try client.write([1].span)
    }
  }

  @Test("Two listeners at one path: the second gets that the address is in use")
  func inUse() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/s"
    let first = try StreamListener(path: path)
    #expect(throws: SystemError(.addressInUse, "listen on", path)) {
      _ = try StreamListener(path: path)
    }
    _ = try StreamSocket.connect(path: path)
    _ = try first.acceptNow()
  }

  @Test(
    "An empty or too long path is refused", arguments: ["", String(repeating: "x", count: 108)])
  func badPath(path: String) {
    #expect(throws: SystemError.self) { _ = try StreamSocket.connect(path: path) }
    #expect(throws: SystemError.self) { _ = try StreamListener(path: path) }
  }

  @Test(
    "A TCP listener without a host listens on loopback", arguments: ["", "localhost", "127.0.0.1"])
  func tcp(host: String) throws {
    let listener = try StreamListener(host: host, port: 0)
    let port = listener.port
    #expect(port != 0)
    #expect(try listener.isIdle())
    let client = try StreamSocket.connect(host: host, port: port)
    let server = try listener.acceptNow()
    #expect(try server.write([9].span) == 1)
    #expect(try client.readAll() == [9])
  }

  @Test("A refused connection is an error with host and port")
  func refused() throws {
    let port = try StreamListener(host: "127.0.0.1", port: 0).port
    #expect(throws: SystemError(.connectionRefused, "connect to", "127.0.0.1:\(port)")) {
      _ = try StreamSocket.connect(host: "127.0.0.1", port: port)
    }
  }

  @Test("An unknown host is named in the error")
  func unknownHost() throws {
    let error = #expect(throws: SystemError.self) {
      _ = try StreamSocket.connect(host: "256.256.256.256.invalid", port: 1)
    }
    #expect(error?.subject == "256.256.256.256.invalid:1")
  }

  @Test("A full socket takes no more bytes, without blocking")
  func full() throws {
    let ends = try Ends()
    let block = [UInt8](repeating: 1, count: 65_536)
    var total = 0
    while true {
      let count = try ends.near.write(block.span)
      if count == 0 { break }
      total += count
    }
    #expect(total > 0)
    #expect(try ends.near.write(block.span) == 0)
  }
}
