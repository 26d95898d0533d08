import LinuxRadio
import Testing

@testable import eightball

@Suite("Where an air listens")
struct HostAirTests {
  @Test("At a UNIX socket, at a TCP port, or where the usual air is")
  func right() throws {
    #expect(try HostAir.parse([]).listen == nil)
    #expect(try HostAir.parse(["--listen", "unix:/tmp/air"]).listen == .unix(path: "/tmp/air"))
    #expect(
      try HostAir.parse(["--listen", "tcp-server:127.0.0.1:7300"]).listen
        == .tcpServer(host: "127.0.0.1", port: 7_300))
  }

  @Test(
    "Nowhere else: no other radio's name is offered",
    arguments: ["foo", "", "virtual", "hci0", "tcp-client:127.0.0.1:7300", "unix:", "tcp-server:x"])
  func wrong(value: String) throws {
    let error = #expect(throws: (any Error).self) { try HostAir.parse(["--listen", value]) }
    let message = HostAir.message(for: try #require(error))
    #expect(message.hasSuffix("An air listens at unix:PATH or tcp-server:HOST:PORT."))
    #expect(!message.contains("hciN"))
  }

  @Test("64 radios at once, or as many as asked for")
  func limit() throws {
    #expect(try HostAir.parse([]).limit == 64)
    #expect(try HostAir.parse(["--limit", "1000"]).limit == 1_000)
    for value in ["0", "-1", "10001"] {
      let error = #expect(throws: (any Error).self) { try HostAir.parse(["--limit=\(value)"]) }
      let message = HostAir.message(for: try #require(error))
      #expect(message == "An air takes 1 to 10000 radios at once, not \(value).")
    }
  }
}
