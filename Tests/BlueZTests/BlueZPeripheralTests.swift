import BallTestSupport
import BluetoothHost
import EightBall
import Expectations
import Glibc
import Linux
import Testing

@testable import BlueZ

private typealias Daemon = FakeDaemon<BallHost<4>>

private let characteristic: StaticString = "org.bluez.GattCharacteristic1"
private let asked = "/gatt/s001B/c001C"
private let answer = "/gatt/s001B/c001E"

private func device(_ number: Int) -> String { "/org/bluez/hci0/dev_F0_00_00_00_11_0\(number)" }

/// A ball that advertises, on a bluetoothd with two connected devices.
private func daemon(protection: AttributeProtection = .none) throws -> Daemon {
  let daemon = try #require(
    try Daemon(
      BallHost<4>(
        configuration: HostConfiguration(
          name: DeviceName(StaticText("8-Ball")), service: .ballService, address: .public),
        database: EightBallProfile.makeDatabase(), application: BallApplication<4>(seed: 8))))
  let database = EightBallProfile.makeDatabase()
  daemon.export(database.attributes, protection: protection)
  for number in 1...2 {
    daemon.objects.append(
      (
        device(number), "org.bluez.Device1",
        [("Connected", .flag(true)), ("AddressType", .text("random"))]
      ))
  }
  daemon.host.start(at: daemon.now)
  daemon.settle()
  return daemon
}

extension FakeDaemon where Side: ~Copyable {
  fileprivate func use(
    _ path: String, _ member: StaticString, value: [UInt8]? = nil, by number: Int = 1,
    offset: UInt16 = 0, mtu: UInt16 = 185,
    needsNoReply: Bool = false, isRead: Bool = true
  ) {
    ask(
      path, characteristic, member, value == nil ? "a{sv}" : "aya{sv}", needsNoReply: needsNoReply,
      isRead: isRead
    ) {
      if let value { $0.write(bytes: value.span) }
      let options = $0.beginArray(alignedTo: 8)
      $0.beginProperty("device", "o")
      $0.write(Array(device(number).utf8).span)
      $0.beginProperty("offset", "q")
      $0.write(offset)
      $0.beginProperty("mtu", "q")
      $0.write(mtu)
      $0.endArray(options)
    }
  }

  fileprivate func notified() -> String? {
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = unsafe Glibc.read(receivedSocket, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}

struct BlueZPeripheralTests {
  @Test("a host that advertises registers its services and its advertisement")
  func registration() throws {
    let daemon = try daemon()
    expect(
      daemon.takeCalls().map(\.member), is: ["RegisterApplication", "RegisterAdvertisement"])
    daemon.ask("/gatt", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    expect(daemon.answer?.text, is: "a{oa{sa{sv}}}")
    daemon.ask("/advertisement", "org.freedesktop.DBus.Properties", "GetAll", "s") {
      $0.write("org.bluez.LEAdvertisement1")
    }
    expect(daemon.answer?.text, is: "a{sv}")
  }

  @Test("a central asks, is notified, and reads the answer")
  func question() throws {
    let daemon = try daemon()
    daemon.use(answer, "AcquireNotify")
    expect(daemon.answer?.text, is: "socket")
    daemon.use(asked, "WriteValue", value: Array("Will it rain?".utf8))
    expect(daemon.answer?.text, is: "done")
    let notified = daemon.notified()
    daemon.use(answer, "ReadValue")
    expect(daemon.answer?.text, is: notified)
    daemon.use(answer, "ReadValue", offset: 2)
    expect(daemon.answer?.text, is: notified.map { String($0.dropFirst(2)) })
    expect(daemon.host.connectionCount, is: 1)
  }

  // With 517 the link kept its 23 bytes, so that a central got 20 bytes of a longer answer.
  @Test("a link has the central's MTU", arguments: [UInt16(23), 185, 512, 517])
  func mtu(_ mtu: UInt16) throws {
    let daemon = try daemon()
    daemon.use(answer, "AcquireNotify", mtu: mtu)
    expect(daemon.host.mtu(at: 0).byteCount, is: Int(mtu))
  }

  @Test("a statement is refused with an error that bluetoothd passes on")
  func refusal() throws {
    let daemon = try daemon()
    daemon.use(asked, "WriteValue", value: Array("It will rain.".utf8))
    // 0x0E is no application error: bluetoothd makes it of any other name.
    expect(daemon.answer?.text, is: "org.bluez.Error.InvalidArguments 0x0E")
    daemon.use(asked, "WriteValue", value: [0xFF])
    expect(daemon.answer?.text, is: "org.bluez.Error.Failed 0x80")
  }

  @Test("a question of 512 bytes is written in parts")
  func longQuestion() throws {
    let daemon = try daemon()
    daemon.use(answer, "AcquireNotify")
    daemon.use(
      asked, "WriteValue",
      value: [UInt8](repeating: UInt8(ascii: "x"), count: 511) + [UInt8(ascii: "?")])
    expect(daemon.answer?.text, is: "done")
    expect(daemon.notified() != nil)
  }

  @Test("a central that disconnects has no link, and one too many is refused")
  func links() throws {
    let daemon = try daemon()
    daemon.use(answer, "ReadValue")
    daemon.use(answer, "ReadValue", by: 2)
    expect(daemon.host.connectionCount, is: 2)
    daemon.change(device(1), "org.bluez.Device1", [("Connected", .flag(false))])
    expect(daemon.host.connectionCount, is: 1)
    // This device is not connected any more when bluetoothd describes it.
    daemon.objects[0].properties[0] = ("Connected", .flag(false))
    daemon.use(answer, "ReadValue")
    expect(daemon.host.connectionCount, is: 1)
    expect(daemon.answer?.text.hasPrefix("org.bluez.Error") ?? false)
  }

  // bluetoothd 5.66 does not say that the second one has subscribed, too.
  @Test("a shared socket gets the answers of each central")
  func sharedSocket() throws {
    let daemon = try daemon()
    daemon.use(answer, "AcquireNotify")
    for number in 1...2 {
      daemon.use(asked, "WriteValue", value: Array("Will it rain?".utf8), by: number)
      let notified = daemon.notified()
      daemon.use(answer, "ReadValue", by: number)
      expect(daemon.answer?.text, is: notified)
    }
    _ = daemon.host.server.withApplication { $0.shake() }
    daemon.settle()
    expect(daemon.notified() != nil)
    expect(daemon.notified() != nil)
    expect(daemon.notified(), is: nil)
  }

  @Test("a shared socket gets the same value for several centrals once")
  func sameValue() throws {
    guard let queue = PollQueue() else { throw ErrorNumber.current }
    var sockets = UpdateSockets()
    guard let end = sockets.add(0x001E, for: 0, in: queue) else { throw ErrorNumber.current }
    defer { Glibc.close(end) }
    let value: [UInt8] = [1]
    let other: [UInt8] = [2]
    // Two centrals get the value, then the first one gets it again, and another one.
    sockets.send(value.span, of: 0x001E, for: 0, at: Instant(rawValue: 0))
    sockets.send(value.span, of: 0x001E, for: 1, at: Instant(rawValue: 1))
    sockets.send(value.span, of: 0x001E, for: 0, at: Instant(rawValue: 2))
    sockets.send(other.span, of: 0x001E, for: 0, at: Instant(rawValue: 3))
    var byte: UInt8 = 0
    var received: [UInt8] = []
    while unsafe recv(end, &byte, 1, CInt(MSG_DONTWAIT)) == 1 { received.append(byte) }
    expect(received, is: [1, 1, 2])
  }

  @Test("the host ends a link: bluetoothd disconnects the device")
  func disconnection() throws {
    let daemon = try daemon()
    daemon.use(answer, "ReadValue")
    _ = daemon.takeCalls()
    daemon.host.disconnectAll()
    daemon.settle()
    expect(daemon.takeCalls().map(\.description), is: ["\(device(1)) Disconnect "])
    expect(daemon.host.connectionCount, is: 0)
  }

  @Test("the radio ends: bluetoothd disconnects each central once, also one without a link")
  func end() throws {
    let daemon = try daemon()
    daemon.use(answer, "ReadValue")
    daemon.script = { $0.member == "GetAll" ? .later : nil }
    daemon.use(answer, "AcquireNotify", by: 2)
    expect(daemon.host.connectionCount, is: 1)
    _ = daemon.takeCalls()
    daemon.end()
    expect(
      daemon.takeCalls().map(\.description),
      is: [
        "/org/bluez/hci0 UnregisterAdvertisement ", "\(device(1)) Disconnect ",
        "\(device(2)) Disconnect ", "/org/bluez/hci0 UnregisterApplication ",
      ])
  }

  @Test("the radio ends: a central whose first call was not read is disconnected")
  func endBeforeCall() throws {
    let daemon = try daemon()
    daemon.use(answer, "AcquireNotify", isRead: false)
    _ = daemon.takeCalls()
    daemon.end()
    expect(daemon.takeCalls().contains { $0.description == "\(device(1)) Disconnect " })
  }

  @Test("the radio ends while bluetoothd disconnects a central: it is not asked again")
  func endAfterDisconnection() throws {
    let daemon = try daemon()
    daemon.use(answer, "ReadValue")
    daemon.script = { $0.member == "Disconnect" ? .later : nil }
    daemon.host.disconnectAll()
    daemon.settle()
    daemon.end()
    expect(daemon.takeCalls().filter { $0.member == "Disconnect" }.count, is: 1)
  }

  @Test("the radio ends with its adapter, and not with another interface of the adapter's object")
  func removal() throws {
    let daemon = try daemon()
    daemon.remove("/org/bluez/hci0", "org.bluez.Media1")
    expect(daemon.failure, is: nil)
    daemon.remove("/org/bluez/hci0", "org.bluez.Adapter1")
    expect(daemon.failure, is: .noSuchDevice)
  }

  @Test("objects belong to bluetoothd, and have its methods alone")
  func methods() throws {
    let daemon = try daemon()
    for path in ["/gatt/s001B/c0099", "/gatt", "/gatt/s001B", "/elsewhere"] {
      daemon.use(path, "ReadValue")
      expect(daemon.answer?.text.hasPrefix("org.freedesktop.DBus.Error.UnknownMethod") ?? false)
    }
    daemon.ask(answer, characteristic, "ReadValue", "s") { $0.write("wrong") }
    expect(daemon.answer?.text.hasPrefix("org.freedesktop.DBus.Error.UnknownMethod") ?? false)
  }

  @Test(
    "a refused registration ends the radio with its reason",
    arguments: [
      ("RegisterAdvertisement", "org.bluez.Error.NotPermitted", ErrorNumber.noSpace),
      ("RegisterAdvertisement", "org.bluez.Error.Failed", .inputOutput),
      ("RegisterApplication", "org.bluez.Error.NotReady", .networkDown),
    ])
  func refusedRegistration(member: String, name: String, code: ErrorNumber) throws {
    let daemon = try daemon()
    daemon.host.radioLost()
    daemon.script = { $0.member == member ? .error(name, "no") : nil }
    daemon.host.start(at: daemon.now)
    daemon.settle()
    expect(daemon.failure, is: code)
  }

  @Test("a bluetoothd that is slow to advertise does not count as a silent controller")
  func slowRegistration() throws {
    let daemon = try daemon()
    daemon.host.radioLost()
    daemon.script = { $0.member == "RegisterAdvertisement" ? .later : nil }
    daemon.host.start(at: daemon.now)
    daemon.settle()
    for _ in 0..<30 { daemon.pass(milliseconds: 100) }
    expect(daemon.failure, is: nil)
    for _ in 0..<300 { daemon.pass(milliseconds: 100) }
    expect(daemon.failure, is: .timedOut)
  }
}

extension DaemonAnswer {
  /// In words.
  fileprivate var text: String {
    switch self {
    case .done: "done"
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .error(let name, let reason): "\(name) \(reason)"
    case .objects: "objects"
    case .properties(let signature): signature
    case .socket: "socket"
    case .later: "later"
    }
  }
}
