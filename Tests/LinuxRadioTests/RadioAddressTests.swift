import Expectations
import LinuxTestSupport

@testable import Linux
@testable import LinuxRadio

@Suite("Radio names")
struct RadioAddressTests {
  /// A text, what it means, how it is written, and the controller's name in messages. One that is `nil` is as the one
  /// before it.
  @Test(
    "Are read, and written for the command line and for messages",
    arguments: [
      ("virtual", .virtual, nil, nil),
      ("unix:/run/air.sock", .unix(path: "/run/air.sock"), nil, "/run/air.sock"),
      ("unix:a:b", .unix(path: "a:b"), nil, "a:b"),
      ("unix:/air.sock,user=1001", .unix(path: "/air.sock", trusting: 1001), nil, "/air.sock"),
      (
        "unix:/run/air,1.sock,user=root", .unix(path: "/run/air,1.sock", trusting: 0),
        "unix:/run/air,1.sock,user=0", "/run/air,1.sock"
      ),
      ("unix:/x,user", .unix(path: "/x,user"), nil, "/x,user"),
      (
        "tcp-client:localhost:9000", .tcpClient(host: "localhost", port: 9_000), nil,
        "localhost:9000"
      ),
      ("tcp-client::9000", .tcpClient(host: "", port: 9_000), nil, "localhost:9000"),
      ("tcp-client:[::1]:9000", .tcpClient(host: "::1", port: 9_000), nil, "[::1]:9000"),
      (
        "tcp-client:::1:9000", .tcpClient(host: "::1", port: 9_000), "tcp-client:[::1]:9000",
        "[::1]:9000"
      ),
      ("tcp-client:[]:1", .tcpClient(host: "", port: 1), "tcp-client::1", "localhost:1"),
      (
        "tcp-client:pi.local:9000", .tcpClient(host: "pi.local", port: 9_000), nil, "pi.local:9000"
      ),
      ("tcp-server:_:65535", .tcpServer(host: "_", port: 65_535), nil, "_:65535"),
      ("tcp-server::1", .tcpServer(host: "", port: 1), nil, "localhost:1"),
      ("tcp-server:127.0.0.1:1", .tcpServer(host: "127.0.0.1", port: 1), nil, "127.0.0.1:1"),
      ("tcp-server:[::]:7", .tcpServer(host: "::", port: 7), nil, "[::]:7"),
      (
        "serial:/dev/ttyS0", .line("/dev/ttyS0", 1_000_000), "serial:/dev/ttyS0,1000000",
        "/dev/ttyS0"
      ),
      ("serial:/dev/ttyS0,9600", .line("/dev/ttyS0", 9_600), nil, "/dev/ttyS0"),
      ("serial:/dev/ttyS0,4000000", .line("/dev/ttyS0", 4_000_000), nil, "/dev/ttyS0"),
      ("hci0", .adapter(0), nil, nil), ("hci007", .adapter(7), "hci7", nil),
      ("hci65535", .adapter(65_535), nil, nil), ("hci-socket:3", .adapter(3), "hci3", nil),
    ] as [(String, RadioAddress, String?, String?)])
  func read(text: String, address: RadioAddress, written: String?, target: String?) throws {
    expect(try RadioAddress(text), is: address)
    expect(address.description, is: written ?? text)
    expect(String(writing: { address.writeTarget(to: &$0) }), is: target ?? written ?? text)
    // The description can be read again.
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

  private static let numericForms = """
    unix:PATH[,user=NUMBER], tcp-client:HOST:PORT, tcp-server:HOST:PORT, serial:DEVICE[,BAUD], hciN, \
    hci-socket:N or bluez:hciN
    """
  private static let speeds = """
    9600, 19200, 38400, 57600, 115200, 230400, 460800, 500000, 576000, 921600, 1000000, 1152000, \
    1500000, 2000000, 2500000, 3000000, 3500000, 4000000
    """

  /// What eightballd expects instead of each text, and what the tools expect if they take more.
  @Test(
    "Say what was expected",
    arguments: [
      (numericForms, RadioAddress.forms, ["", "bluetooth", "virtual:2", "usb:0", ":", "HCI0"]),
      ("unix:PATH", nil, ["unix", "unix:", "unix:,user=root", "unix:/x,user=root,user=root"]),
      (
        "unix:PATH,user=NUMBER, with the number of a user; eightball run looks names up",
        "unix:PATH,user=USER, with a user of this machine for USER",
        ["unix:/x,user=", "unix:/x,user=no such user"]
      ),
      (
        "tcp-client:HOST:PORT", nil,
        ["", ":", ":0", ":65536", ":+80", ":8 0"].map { "tcp-client:localhost" + $0 }
      ),
      ("tcp-server:HOST:PORT", nil, ["tcp-server"]),
      (
        "serial:DEVICE[,BAUD]", nil,
        ["serial", "serial:,9600", "serial:/dev/ttyS0,9600,rtscts"]
      ),
      (
        "serial:DEVICE[,BAUD], with one of \(speeds) for BAUD", nil,
        ["12345", "9601", "", "99999999999999999999"].map { "serial:/dev/ttyS0," + $0 }
      ),
      ("hciN, such as hci0", nil, ["hci", "hcix", "hci-1", "hci65536"]),
      ("hci-socket:N", nil, ["hci-socket", "hci-socket:", "hci-socket:hci0"]),
      ("bluez:hciN, such as bluez:hci0", nil, ["bluez", "bluez:0"]),
      (
        "at most 255 bytes for a path, a host or a device", nil,
        ["serial:/" + String(repeating: "d", count: 255)]
      ),
    ] as [(String, String?, [String])])
  func refuse(expected: String, byTools: String?, texts: [String]) {
    for text in texts {
      // A long text is shortened.
      let shown = complaint(about: text) ?? ""
      expect(shown.hasPrefix("unknown radio \"\(text.prefix(40))"), "\(shown)")
      expect(shown.hasSuffix("\": expected \(expected)"), "\(shown)")
      let error = RadioTextError(text: text, expected: byTools ?? expected)
      #expect(throws: error) { try RadioAddress(text) }
    }
    expect(complaint(about: "serial:/" + String(repeating: "d", count: 254)), is: nil)
  }

  @Test(
    "An error refers to eightball run for what eightballd cannot do",
    arguments: [
      ("virtual", "the virtual air is for eightball run --radio virtual"),
      (
        "tcp-client:pi.local:9000",
        "expected a numeric address or localhost for HOST; eightball run looks names up"
      ),
      (
        "tcp-client:_:9000",
        "expected a numeric address or localhost for HOST; eightball run looks names up"
      ),
      (
        "unix:/x,user=root",
        "expected unix:PATH,user=NUMBER, with the number of a user; eightball run looks names up"
      ),
    ])
  func others(text: String, words: String) {
    expect(complaint(about: text), is: "unknown radio \"\(text)\": \(words)")
  }

  /// What eightballd finds wrong with a text; `nil` if it is valid.
  private func complaint(about text: String) -> String? {
    do throws(RadioAddressError) {
      _ = try RadioAddress(numeric: text.utf8.span)
      return nil
    } catch {
      return String(writing: { error.write(to: &$0, of: text.utf8.span) })
    }
  }
}

extension RadioAddress {
  /// A serial line of this speed.
  static func line(_ device: String, _ speed: UInt32 = 9_600) -> RadioAddress {
    RadioAddress(.serial(speed: speed), at: device.utf8.span)
  }
}
