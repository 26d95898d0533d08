import Expectations
import LinuxRadio
import LinuxTestSupport

@Suite("Stream sockets")
struct StreamSocketTests {
  @Test("A UNIX socket: only its user can connect, and it leaves no files")
  func unixSocket() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/air.sock"
    do {
      let listener = try StreamListener(path: path)
      expect(Files.mode(of: path), is: 0o600)
      expect(try listener.isIdle())

      let client = try StreamSocket.connect(path: path)
      let server = try listener.acceptNow()
      expect(try server.readAll(), is: [])
      expect(try client.write([1, 2, 3].span), is: 3)
      expect(try server.readAll(), is: [1, 2, 3])
    }
    expect(directory.names, is: [])
  }

  @Test("The end of the other side and a write without a reader are errors, and do no harm")
  func ends() throws {
    let directory = try TemporaryDirectory()
    let listener = try StreamListener(path: directory.path + "/s")
    let client = try StreamSocket.connect(path: directory.path + "/s")
    do { _ = try listener.acceptNow() }
    expect(try client.readAll(), is: nil)
    #expect(throws: SystemError(.brokenPipe, "write to", client.name)) {
      try client.write([1].span)
    }
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
    expect(port != 0)
    expect(try listener.isIdle())
    let client = try StreamSocket.connect(host: host, port: port)
    let server = try listener.acceptNow()
    expect(try server.write([9].span), is: 1)
    expect(try client.readAll(), is: [9])
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
    expect(total > 0)
    expect(try ends.near.write(block.span), is: 0)
  }
}
