import LinuxRadio
import Testing

@testable import eightball

@Suite("The options of eightball radio")
struct HostAirTests {
  @Test("It listens at a UNIX socket, a TCP port, or the default socket")
  func right() throws {
    #expect(try HostAir.parse([]).listen == nil)
    #expect(try HostAir.parse(["--listen", "unix:/tmp/air"]).listen == .unix(path: "/tmp/air"))
    #expect(
      try HostAir.parse(["--listen", "tcp-server:127.0.0.1:7300"]).listen
        == .tcpServer(host: "127.0.0.1", port: 7_300))
  }

  @Test(
    "Other radios are refused, and not offered",
    arguments: ["foo", "", "virtual", "hci0", "tcp-client:127.0.0.1:7300", "unix:", "tcp-server:x"])
  func wrong(value: String) throws {
    let error = #expect(throws: (any Error).self) { try HostAir.parse(["--listen", value]) }
    let message = HostAir.message(for: try #require(error))
    #expect(message.hasSuffix("--listen takes unix:PATH or tcp-server:HOST:PORT."))
    #expect(!message.contains("hciN"))
  }

  @Test("It takes 64 radios, or the number given")
  func limit() throws {
    #expect(try HostAir.parse([]).limit == 64)
    #expect(try HostAir.parse(["--limit", "1000"]).limit == 1_000)
    for value in ["0", "-1", "10001"] {
      let error = #expect(throws: (any Error).self) { try HostAir.parse(["--limit=\(value)"]) }
      let message = HostAir.message(for: try #require(error))
      #expect(message == "--limit takes 1 to 10000 radios, not \(value).")
    }
  }
}
