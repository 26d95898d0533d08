import BluetoothHost
import Glibc
import Testing

@testable import Linux
@testable import LinuxPort

@Suite("Names and failures of the Linux port")
struct PortTextTests {
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
    #expect(text { choice.write(to: &$0) } == name)
    #expect(text { choice.writeTarget(to: &$0) } == target)
  }

  @Test("An invalid radio: its name, and what was expected")
  func invalidRadios() {
    let name = Array("x".utf8)
    let anyForm =
      "unix:PATH[,user=NUMBER], tcp-client:HOST:PORT, tcp-server:HOST:PORT, "
      + "serial:DEVICE[,BAUD], hciN or hci-socket:N"
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
      (
        .virtual, ": the virtual air is for eightball run --radio virtual"
      ),
      (
        .hostName,
        ": expected a numeric address or localhost for HOST; eightball run looks names up"
      ),
    ] {
      #expect(text { error.write(to: &$0, of: name.span) }.hasSuffix(words), "\(error)")
      #expect(
        text { error.write(to: &$0, of: name.span) }.hasPrefix("unknown radio \"x\": "), "\(error)")
    }
  }

  @Test("Bonds in a folder that cannot be made are not kept, and the notice has the reason")
  func noFolder() {
    var bonds = PortBonds(state: lasting("/proc/nothing/here"), user: nil, home: nil)
    var table = BondTable<16>()
    _ = bonds.open(into: &table)
    #expect(
      text { bonds.writeNotice(to: &$0) }
        == "cannot make the folder of /proc/nothing/here/ball.bonds: No such file or directory")
    let state = (bonds.hasNotice, bonds.isInUse)
    #expect(state == (true, true))
    let isKept = bonds.keep([1].span)
    #expect(!isKept)
  }

  @Test("Bonds without a place are not kept")
  func noPlace() {
    var bonds = PortBonds(state: nil, user: nil, home: nil)
    let isInUse = bonds.isInUse
    #expect(!isInUse)
    var table = BondTable<16>()
    let identity = bonds.open(into: &table)
    #expect(identity == nil ? true : false)
    let isKept = bonds.keep([1].span)
    #expect(!isKept)
  }

  @Test("The folders of the bonds are made, down to the last; the path has at most 240 bytes")
  func folders() throws {
    let folder = try TestDirectory()
    defer {
      for name in ["a/eightball/ball.bonds", "a/eightball/ball.bonds.new"] {
        _ = unsafe unlink("\(folder.path)/\(name)")
      }
      for name in ["a/eightball", "a"] { _ = unsafe rmdir("\(folder.path)/\(name)") }
      folder.remove()
    }
    var bonds = PortBonds(state: nil, user: lasting(folder.path + "/a"), home: nil)
    var table = BondTable<16>()
    _ = bonds.open(into: &table)
    let hasNotice = bonds.hasNotice
    #expect(!hasNotice)
    let isKept = bonds.keep([1, 2].span)
    #expect(isKept)
    #expect(unsafe access("\(folder.path)/a/eightball/ball.bonds", R_OK) == 0)
    // "/ball.bonds" has 11 bytes.
    for (length, isUsable) in [(229, true), (230, false)] {
      let state = "/" + String(repeating: "x", count: length - 1)
      let bonds = PortBonds(state: lasting(state), user: nil, home: nil)
      let count = bonds.location.count
      #expect(count == (isUsable ? 240 : 0))
    }
  }
}
