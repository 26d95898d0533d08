import LinuxRadio
import Testing

@Suite("Radio names")
struct RadioNameTests {
  @Test(
    "Are read",
    arguments: [
      ("virtual", .virtual),
      ("unix:/run/air.sock", .unix(path: "/run/air.sock")),
      ("unix:a:b", .unix(path: "a:b")),
      ("unix:/run/air.sock,user=1001", .unixOfUser(1001, path: "/run/air.sock")),
      ("unix:/run/air,1.sock,user=root", .unixOfUser(0, path: "/run/air,1.sock")),
      ("tcp-client:localhost:9000", .tcpClient(host: "localhost", port: 9_000)),
      ("tcp-client::9000", .tcpClient(host: "", port: 9_000)),
      ("tcp-client:[::1]:9000", .tcpClient(host: "::1", port: 9_000)),
      ("tcp-server:_:65535", .tcpServer(host: "_", port: 65_535)),
      ("tcp-server:127.0.0.1:1", .tcpServer(host: "127.0.0.1", port: 1)),
      ("serial:/dev/ttyACM0", .serial(device: "/dev/ttyACM0", speed: 1_000_000)),
      ("serial:/dev/ttyUSB0,115200", .serial(device: "/dev/ttyUSB0", speed: 115_200)),
      ("hci0", .adapter(0)),
      ("hci12", .adapter(12)),
      ("hci-socket:3", .adapter(3)),
    ] as [(String, RadioName)])
  func read(text: String, name: RadioName) throws {
    #expect(try RadioName(text) == name)
    // The description can be read again.
    #expect(try RadioName(name.description) == name)
  }

  @Test(
    "Say what was expected",
    arguments: [
      ("", RadioName.forms),
      ("bluetooth", RadioName.forms),
      ("virtual:2", RadioName.forms),
      ("usb:0", RadioName.forms),
      ("unix", "unix:PATH"),
      ("unix:", "unix:PATH"),
      ("unix:,user=root", "unix:PATH"),
      ("unix:/x,user=root,user=root", "unix:PATH"),
      ("unix:/x,user=", "unix:PATH,user=USER, with a user of this machine for USER"),
      ("unix:/x,user=no such user", "unix:PATH,user=USER, with a user of this machine for USER"),
      ("tcp-client:localhost", "tcp-client:HOST:PORT"),
      ("tcp-client:localhost:", "tcp-client:HOST:PORT"),
      ("tcp-client:localhost:0", "tcp-client:HOST:PORT"),
      ("tcp-client:localhost:65536", "tcp-client:HOST:PORT"),
      ("tcp-client:localhost:+80", "tcp-client:HOST:PORT"),
      ("tcp-server", "tcp-server:HOST:PORT"),
      ("serial", "serial:DEVICE[,BAUD]"),
      ("serial:,9600", "serial:DEVICE[,BAUD]"),
      ("serial:/dev/ttyS0,9600,rtscts", "serial:DEVICE[,BAUD]"),
      ("hci", "hciN, such as hci0"),
      ("hcix", "hciN, such as hci0"),
      ("hci-1", "hciN, such as hci0"),
      ("hci-socket:", "hci-socket:N"),
      ("hci-socket:hci0", "hci-socket:N"),
    ])
  func refuse(text: String, expected: String) {
    #expect(throws: RadioNameError(text: text, expected: expected)) { try RadioName(text) }
  }

  @Test("Name the speeds that a serial line has")
  func speeds() {
    let error = #expect(throws: RadioNameError.self) { try RadioName("serial:/dev/ttyS0,12345") }
    #expect(error?.expected.contains("115200, 230400") == true)
  }
}
