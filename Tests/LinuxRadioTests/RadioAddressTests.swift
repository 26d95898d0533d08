import Expectations
import LinuxRadio

@Suite("Radio names")
struct RadioAddressTests {
  @Test(
    "Are read",
    arguments: [
      ("virtual", .virtual), ("unix:/run/air.sock", .unix(path: "/run/air.sock")),
      ("unix:a:b", .unix(path: "a:b")),
      ("unix:/run/air.sock,user=1001", .unix(path: "/run/air.sock", trusting: 1001)),
      ("unix:/run/air,1.sock,user=root", .unix(path: "/run/air,1.sock", trusting: 0)),
      ("unix:/x,user", .unix(path: "/x,user")),
      ("tcp-client:localhost:9000", .tcpClient(host: "localhost", port: 9_000)),
      ("tcp-client::9000", .tcpClient(host: "", port: 9_000)),
      ("tcp-client:[::1]:9000", .tcpClient(host: "::1", port: 9_000)),
      ("tcp-server:_:65535", .tcpServer(host: "_", port: 65_535)),
      ("tcp-client:::1:9000", .tcpClient(host: "::1", port: 9_000)),
      ("tcp-client:[]:1", .tcpClient(host: "", port: 1)),
      ("tcp-client:pi.local:9000", .tcpClient(host: "pi.local", port: 9_000)),
      ("tcp-server:127.0.0.1:1", .tcpServer(host: "127.0.0.1", port: 1)),
      ("tcp-server:[::]:7", .tcpServer(host: "::", port: 7)), ("hci0", .adapter(0)),
      ("hci007", .adapter(7)), ("hci12", .adapter(12)), ("hci65535", .adapter(65_535)),
      ("hci-socket:3", .adapter(3)),
    ] as [(String, RadioAddress)])
  func read(text: String, name: RadioAddress) throws {
    expect(try RadioAddress(text), is: name)
    // The description can be read again.
    expect(try RadioAddress(name.description), is: name)
  }

  @Test(
    "A serial line has a speed",
    arguments: [
      ("serial:/dev/ttyACM0", 1_000_000), ("serial:/dev/ttyACM0,115200", 115_200),
      ("serial:/dev/ttyACM0,4000000", 4_000_000),
    ] as [(String, UInt32)])
  func serial(text: String, speed: UInt32) throws {
    let address = try RadioAddress(text)
    expect(address.way, is: .serial(speed: speed))
    expect(address.place, is: "/dev/ttyACM0")
    expect(address.description, is: "serial:/dev/ttyACM0,\(speed)")
    expect(try RadioAddress(address.description), is: address)
  }

  @Test("Only a name of a host must be looked up")
  func lookup() throws {
    for text in ["tcp-client:pi.local:9", "tcp-server:pi.local:9", "tcp-client:_:9"] {
      expect(try RadioAddress(text).needsLookup, "\(text)")
    }
    for text in [
      "tcp-client:localhost:9", "tcp-client::9", "tcp-client:[::1]:9", "tcp-server:_:9",
      "tcp-client:192.0.2.1:9", "unix:/x", "hci0", "virtual", "serial:/dev/x",
    ] { expect(try !RadioAddress(text).needsLookup, "\(text)") }
  }

  @Test(
    "Say what was expected",
    arguments: [
      (RadioAddress.forms, ["", "bluetooth", "virtual:2", "usb:0", ":", "HCI0"]),
      ("unix:PATH", ["unix", "unix:", "unix:,user=root", "unix:/x,user=root,user=root"]),
      (
        "unix:PATH,user=USER, with a user of this machine for USER",
        ["unix:/x,user=", "unix:/x,user=no such user"]
      ),
      (
        "tcp-client:HOST:PORT",
        ["", ":", ":0", ":65536", ":+80", ":8 0"].map { "tcp-client:localhost" + $0 }
      ),
      ("tcp-server:HOST:PORT", ["tcp-server"]),
      ("serial:DEVICE[,BAUD]", ["serial", "serial:,9600", "serial:/dev/ttyS0,9600,rtscts"]),
      ("hciN, such as hci0", ["hci", "hcix", "hci-1", "hci65536"]),
      ("hci-socket:N", ["hci-socket", "hci-socket:", "hci-socket:hci0"]),
    ])
  func refuse(expected: String, texts: [String]) {
    for text in texts {
      #expect(throws: RadioTextError(text: text, expected: expected)) { try RadioAddress(text) }
    }
  }

  @Test("Name the speeds that a serial line has")
  func speeds() {
    for speed in ["12345", "9601", "", "99999999999999999999"] {
      let text = "serial:/dev/ttyS0,\(speed)"
      let error = #expect(throws: RadioTextError.self) { try RadioAddress(text) }
      expect(error?.expected.contains("115200, 230400"), is: true)
    }
  }
}
