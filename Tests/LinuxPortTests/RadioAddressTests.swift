import Expectations

@testable import Linux
@testable import LinuxPort

@Suite("Names of radios of the Linux port")
struct RadioAddressTests {
  @Test(
    "A radio has a name to type, and a name for messages",
    arguments: [
      ("unix:/run/air.sock", "unix:/run/air.sock", "/run/air.sock"),
      ("unix:/run/air.sock,user=7", "unix:/run/air.sock,user=7", "/run/air.sock"),
      ("tcp-client::9000", "tcp-client::9000", "localhost:9000"),
      ("tcp-client:localhost:9000", "tcp-client:localhost:9000", "localhost:9000"),
      ("tcp-client:[::1]:9000", "tcp-client:[::1]:9000", "[::1]:9000"),
      ("tcp-client:::1:9000", "tcp-client:[::1]:9000", "[::1]:9000"),
      ("tcp-server:_:1", "tcp-server:_:1", "_:1"),
      ("tcp-server::1", "tcp-server::1", "localhost:1"),
      ("serial:/dev/ttyS0", "serial:/dev/ttyS0,1000000", "/dev/ttyS0"),
      ("serial:/dev/ttyS0,9600", "serial:/dev/ttyS0,9600", "/dev/ttyS0"),
      ("hci0", "hci0", "hci0"), ("hci-socket:65535", "hci65535", "hci65535"),
    ])
  func radios(_ given: String, _ name: String, _ target: String) throws {
    let choice = try RadioAddress(Array(given.utf8).span)
    expect(text { choice.write(to: &$0) }, is: name)
    expect(text { choice.writeTarget(to: &$0) }, is: target)
  }

  @Test("An invalid radio: its name, and what was expected")
  func invalidRadios() {
    let name = Array("x".utf8)
    let anyForm =
      "unix:PATH[,user=NUMBER], tcp-client:HOST:PORT, tcp-server:HOST:PORT, "
      + "serial:DEVICE[,BAUD], hciN, hci-socket:N or bluez:hciN"
    let speeds =
      "9600, 19200, 38400, 57600, 115200, 230400, 460800, 500000, 576000, 921600, 1000000, 1152000, "
      + "1500000, 2000000, 2500000, 3000000, 3500000, 4000000"
    for (error, words) in [
      (RadioAddressError.anyForm, ": expected \(anyForm)"), (.unix, ": expected unix:PATH"),
      (
        .user,
        ": expected unix:PATH,user=NUMBER, with the number of a user; eightball run looks names up"
      ),
      (.tcpClient, ": expected tcp-client:HOST:PORT"),
      (.tcpServer, ": expected tcp-server:HOST:PORT"), (.serial, ": expected serial:DEVICE[,BAUD]"),
      (.speed, ": expected serial:DEVICE[,BAUD], with one of \(speeds) for BAUD"),
      (.adapter, ": expected hciN, such as hci0"), (.adapterSocket, ": expected hci-socket:N"),
      (.tooLong, ": expected at most 255 bytes for a path, a host or a device"),
      (.virtual, ": the virtual air is for eightball run --radio virtual"),
      (
        .hostName,
        ": expected a numeric address or localhost for HOST; eightball run looks names up"
      ),
    ] {
      let shown = text { error.write(to: &$0, of: name.span) }
      expect(shown.hasPrefix("unknown radio \"x\": ") && shown.hasSuffix(words), "\(error)")
    }
  }

  @Test(
    "An error refers to eightball run for what eightballd cannot do",
    arguments: [
      ("virtual", "eightball run --radio virtual"),
      ("tcp-client:pi.local:9000", "eightball run looks names up"),
      ("tcp-client:_:9000", "eightball run looks names up"),
      ("unix:/x,user=root", "eightball run looks names up"),
    ])
  func others(name: String, words: String) {
    expect(complaint(about: name)?.contains(words), is: true)
  }

  @Test("A path, host or device has at most 255 bytes")
  func long() {
    let most = "serial:/" + String(repeating: "d", count: 254)
    expect(complaint(about: most), is: nil)
    expect(complaint(about: most + "d")?.contains("at most 255 bytes"), is: true)
  }

  /// What is wrong with a name; `nil` if it is valid.
  private func complaint(about name: String) -> String? {
    let bytes = Array(name.utf8)
    do throws(RadioAddressError) {
      _ = try RadioAddress(numeric: bytes.span)
      return nil
    } catch {
      let failure = error
      return text { failure.write(to: &$0, of: bytes.span) }
    }
  }
}
