import BluetoothHost
import Expectations
import Glibc
import LinuxRadio
import LinuxTestSupport
import VirtualRadio

@testable import LinuxAir

@Suite("The air behind a socket")
struct AirServerTests {
  /// A server on its own UNIX socket, its clients, and its notices.
  final class Fixture {
    let path: String
    let server: AirServer
    private let loop: EventLoop
    var notices: [String] = []
    private(set) var clients: [SocketHost] = []

    init(maximumClients: Int = 64, simulatingTimeFrom count: Int? = nil) throws {
      path = "/tmp/virtual-radio-test-\(UInt64.random(in: 0...(.max))).sock"
      loop = try EventLoop()
      server = AirServer(
        air: VirtualAir(), maximumClients: maximumClients, simulatingTimeFrom: count, loop: loop)
      server.onNotice = { [weak self] in self?.notices.append($0.description) }
      try server.listen(on: StreamListener(path: path))
    }

    deinit { server.close() }

    /// Turns of the server until nothing is ready any more.
    func settle() throws {
      while try loop.wait(until: Instant(rawValue: 0)) {}
      server.advance(to: server.air.now)
    }

    func connect() throws -> SocketHost {
      let host = SocketHost(try StreamSocket.connect(path: path))
      clients.append(host)
      try settle()
      return host
    }

    /// A client's socket is closed when the test does not use it any more.
    func drop(_ host: SocketHost) { clients.removeAll { $0 === host } }
  }

  /// A host at the far end of a socket.
  final class SocketHost {
    let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    func send(_ bytes: [UInt8]) throws {
      var offset = 0
      while offset < bytes.count {
        let count = try descriptor.write(bytes.span.extracting(offset..<bytes.count))
        try #require(count > 0)
        offset += count
      }
    }

    /// States until when the host is idle on simulated time, with the number that the air has sent last.
    func state(idleUntil deadline: Instant?) throws {
      // 3 (header) + 4 ("TIME") + 4 (number) + 8 (time) + 8 (seed) = 27 bytes
      let last = [UInt8](try (receive() ?? []).suffix(27))
      let number = AirTimePacket.read(last.span)?.number
      try send(AirTimePacket.idle(until: deadline, number: #require(number)))
    }

    /// Every received byte; `nil` once the server has closed and nothing is left.
    func receive() throws -> [UInt8]? {
      var received: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        var space = buffer.mutableSpan
        switch try descriptor.read(into: &space) {
        case .bytes(let count): received += buffer.prefix(count)
        case .nothingYet: return received
        case .end: return received.isEmpty ? nil : received
        }
      }
    }
  }

  private let readAddress: [UInt8] = [0x01, 0x09, 0x10, 0x00]
  private let fixture: Fixture

  init() throws { fixture = try Fixture() }

  /// The server still serves this client.
  private func expectService(of host: SocketHost, by fixture: Fixture) throws {
    try host.send(readAddress)
    try fixture.settle()
    expect(try host.receive()?.count, is: 13)
  }

  @Test("Each client is a controller of its own, whatever pieces its packets come in")
  func clients() throws {
    let first = try fixture.connect()
    let second = try fixture.connect()
    expect(fixture.server.clientCount, is: 2)
    try second.send(readAddress + readAddress)
    for byte in readAddress {
      try first.send([byte])
      try fixture.settle()
    }
    expect(try first.receive(), is: complete(.readBDADDR, .success, [1, 0, 0, 0, 0, 0xF0]))
    let answer = complete(.readBDADDR, .success, [2, 0, 0, 0, 0, 0xF0])
    expect(try second.receive(), is: answer + answer)
    expect(fixture.notices, is: ["F0:00:00:00:00:01 joined", "F0:00:00:00:00:02 joined"])
  }

  @Test("The kernel gets each packet by itself, and may command before it names its adapter")
  func adapter() throws {
    let ends = try Ends(isPacketwise: true)
    try fixture.server.addAdapter(
      on: FileDescriptor(owning: dup(ends.near.rawValue), name: "vhci"))
    expect(try ends.far.readAll(), is: [0xFF, 0x00])
    expect(try ends.far.write(readAddress.span), is: 4)
    expect(try ends.far.write(([0xFF, 0x00, 0x01, 0x02] as [UInt8]).span), is: 4)
    expect(try ends.far.write(readAddress.span), is: 4)
    try fixture.settle()
    let answer = complete(.readBDADDR, .success, [1, 0, 0, 0, 0, 0xF0])
    for expected in [answer, answer, []] { expect(try ends.far.readAll(), is: expected) }
    expect(
      fixture.notices,
      is: ["F0:00:00:00:00:01 joined", "hci513 joined as F0:00:00:00:00:01"])
    fixture.server.close()
    let kernel = ends.closeNear()
    expect(try kernel.readAll(), is: nil)
  }

  @Test("Without the kernel's device, or the right to open it, the error says what to do")
  func noDevice() {
    let missing = SystemError(.noSuchFile, "open", "/dev/vhci")
    expect(
      KernelDevice.accessError(missing)?.description,
      is: "this kernel has no virtual adapters: there is no /dev/vhci. Load their module: sudo "
        + "modprobe hci_vhci.")
    expect(
      KernelDevice.accessError(SystemError(.accessDenied, "open", "/dev/vhci"))?.description,
      is: "this user may not open /dev/vhci. Make it yours: sudo chown $USER /dev/vhci; or run "
        + "with sudo.")
    expect(KernelDevice.accessError(SystemError(.busy, "open", "/dev/vhci")), is: nil)
  }

  @Test("The program's controller talks to a client; a closed socket means loss of power")
  func ownController() throws {
    let ball = TestHost(on: fixture.server.air)
    ball.advertise()
    _ = ball.receive()
    do {
      let phone = try fixture.connect()
      try phone.send(bytes { LESetEventMask(mask: .max).writePacket(to: &$0) })
      try phone.send(bytes { SetEventMask(mask: .max).writePacket(to: &$0) })
      try phone.send(bytes { LECreateConnection(to: publicAddress(1)).writePacket(to: &$0) })
      try fixture.settle()
      expect(ball.receive().count, is: 1)
      _ = try phone.receive()
      let handle = try #require(fixture.server.air.controllers.last?.connectionHandles.first)
      try phone.send(acl(handle, .firstNonFlushable, [1, 2]))
      try fixture.settle()
      expect(ball.receive(), is: [acl(ball.handle, .firstFlushable, [1, 2])])
      // The credit returns after the program has read its controller's packet.
      expect(try phone.receive(), is: [])
      fixture.server.advance(to: fixture.server.air.now)
      expect(try phone.receive(), is: completed(handle))
      fixture.drop(phone)
    }
    let handle = ball.handle
    try fixture.settle()
    expect(fixture.server.clientCount, is: 0)
    expect(fixture.notices.last, is: "F0:00:00:00:00:02 left")
    expect(ball.receive(), is: [])
    let deadline = try #require(fixture.server.deadline)
    fixture.server.advance(to: deadline)
    expect(ball.receive(), is: [ended(handle, .connectionTimeout)])
  }

  @Test("A client that loses synchronization is dropped, and the others stay")
  func lostSync() throws {
    let wrong = try fixture.connect()
    let right = try fixture.connect()
    try wrong.send([0x77, 1, 2, 3])
    try fixture.settle()
    expect(fixture.server.clientCount, is: 1)
    expect(
      fixture.notices.last, is: "F0:00:00:00:00:01 dropped: it sent 0x77 where a packet begins")
    try expectService(of: right, by: fixture)
  }

  @Test("A client that never reads its answers is dropped")
  func neverReads() throws {
    let host = try fixture.connect()
    let many = (0..<100).flatMap { _ in readAddress }
    for _ in 0..<2_000 where fixture.server.clientCount > 0 {
      try host.send(many)
      try fixture.settle()
    }
    expect(fixture.server.clientCount, is: 0)
    expect(
      fixture.notices.last,
      is: "F0:00:00:00:00:01 dropped: it sends commands and does not read the answers")
  }

  @Test("When the air is full, a new client's first command is refused, until one leaves")
  func full() throws {
    let fixture = try Fixture(maximumClients: 1)
    _ = try fixture.connect()
    for _ in 0..<2 {
      let second = try fixture.connect()
      expect(fixture.server.clientCount, is: 1)
      try second.send([0x01, 0x03, 0x0C, 0x00])
      try fixture.settle()
      expect(try second.receive(), is: complete(.reset, .rejectedDueToLimitedResources))
      expect(try second.receive(), is: nil)
    }
    // It is reported once, not for each retry of a program.
    expect(
      fixture.notices,
      is: ["F0:00:00:00:00:01 joined", "the virtual air is full (1 radio): refused a program"])
    fixture.drop(fixture.clients[0])
    try fixture.settle()
    let next = try fixture.connect()
    try next.send(readAddress)
    try fixture.settle()
    expect(try next.receive(), is: complete(.readBDADDR, .success, [2, 0, 0, 0, 0, 0xF0]))
    _ = try fixture.connect()
    expect(fixture.notices.last, is: "the virtual air is full (1 radio): refused a program")
  }

  @Test("At the limit on open files, a client is refused, and the others stay")
  func noMoreFiles() async {
    // Without other tests: what they close would stay open in its copy of their files.
    await #expect(processExitsWith: .success) {
      try inOwnProcess {
        let it = try AirServerTests()
        let fixture = it.fixture
        let first = try fixture.connect()
        // The client takes the last free descriptor, so the server has none.
        let free = dup(0)
        Glibc.close(free)
        try ResourceLimit.files.set(UInt(free) + 1)
        for _ in 0..<3 {
          let second = try fixture.connect()
          expect(try second.receive(), is: complete(.reset, .rejectedDueToLimitedResources))
          expect(try second.receive(), is: nil)
          fixture.drop(second)
        }
        expect(fixture.notices.count, is: 2)
        expect(fixture.notices.last?.contains("Too many open files"), is: true)
        try it.expectService(of: first, by: fixture)
      }
    }
  }

  @Test("Refused clients that send nothing do not accumulate, and leave without a notice")
  func silentRefused() throws {
    let fixture = try Fixture(maximumClients: 1)
    let first = try fixture.connect()
    let oldest = try fixture.connect()
    for _ in 0..<15 { _ = try fixture.connect() }
    expect(try oldest.receive(), is: [])
    _ = try fixture.connect()
    expect(try oldest.receive(), is: nil)
    for refused in fixture.clients.dropFirst() { fixture.drop(refused) }
    try expectService(of: first, by: fixture)
    expect(
      fixture.notices,
      is: ["F0:00:00:00:00:01 joined", "the virtual air is full (1 radio): refused a program"])
  }

  @Test("A refused client stays until its first command is complete")
  func refusedInPieces() throws {
    let fixture = try Fixture(maximumClients: 1)
    _ = try fixture.connect()
    let second = try fixture.connect()
    for byte in readAddress.dropLast() {
      try second.send([byte])
      try fixture.settle()
      expect(try second.receive(), is: [])
    }
    try second.send([readAddress[3]])
    try fixture.settle()
    expect(
      try second.receive(), is: complete(.readBDADDR, .rejectedDueToLimitedResources, .zeros(6)))
    expect(try second.receive(), is: nil)
    expect(fixture.server.clientCount, is: 1)
  }

  @Test("A server accepts 64 clients by default, and up to its limit")
  func limits() throws {
    expect(AirServer.defaultMaximumClients, is: 64)
    expect(AirServer(air: VirtualAir(), loop: try EventLoop()).maximumClients, is: 64)
    let fixture = try Fixture(maximumClients: 2)
    for expected in [1, 2, 2] {
      _ = try fixture.connect()
      expect(fixture.server.clientCount, is: expected)
    }
    expect(fixture.notices.last, is: "the virtual air is full (2 radios): refused a program")
  }

  @Test("If even a refusal needs a file too many, clients wait until one leaves")
  func paused() async {
    // Without other tests: what they close would stay open in its copy of their files.
    await #expect(processExitsWith: .success) {
      try inOwnProcess {
        let it = try AirServerTests()
        let fixture = it.fixture
        _ = try fixture.connect()
        let second = SocketHost(try StreamSocket.connect(path: fixture.path))
        // Below the descriptors in use, so the server's spare one does not help.
        let usual = try ResourceLimit.files.set(3)
        try fixture.settle()
        try ResourceLimit.files.set(usual)
        expect(fixture.notices.count, is: 2)
        expect(fixture.notices.last?.contains("Too many open files"), is: true)
        // The loop is not woken again for the client that waits.
        try second.send(it.readAddress)
        try fixture.settle()
        expect(try second.receive(), is: [])
        expect(fixture.server.clientCount, is: 1)
        fixture.drop(fixture.clients[0])
        try fixture.settle()
        expect(fixture.server.clientCount, is: 1)
        expect(try second.receive(), is: complete(.readBDADDR, .success, [2, 0, 0, 0, 0, 0xF0]))
      }
    }
  }

  @Test("A packet of 2,048 bytes is accepted; a longer one is dropped and counted, and no more")
  func longPackets() throws {
    let host = try fixture.connect()
    let controller = try #require(fixture.server.air.controllers.first)
    for (count, unknown, malformed) in [(2_048, 1, 0), (2_049, 1, 1), (1, 2, 1)] {
      try host.send(
        [0x02, 1, 0, UInt8(count & 0xFF), UInt8(count >> 8)] + [UInt8](repeating: 0, count: count))
      try fixture.settle()
      expect(controller.counters.packetsForUnknownLinks, is: unknown)
      expect(controller.counters.malformedPackets, is: malformed)
    }
    expect(fixture.server.clientCount, is: 1)
  }

  @Test("A polite server: a closed socket ends the client's links at once")
  func politeClose() throws {
    fixture.server.whenClientsLeave = .politely
    let ball = TestHost(on: fixture.server.air)
    ball.advertise()
    do {
      let phone = try fixture.connect()
      try phone.send(bytes { LECreateConnection(to: publicAddress(1)).writePacket(to: &$0) })
      try fixture.settle()
      _ = ball.receive()
      fixture.drop(phone)
    }
    let handle = ball.handle
    try fixture.settle()
    expect(ball.receive(), is: [ended(handle, .remoteDevicePoweredOff)])
    expect(fixture.server.deadline, is: nil)
  }

  @Test("A client that reads slowly gets every packet in order")
  func slowReader() throws {
    let host = try fixture.connect()
    // The socket holds a part of the answers; the rest waits with the controller.
    var expected = 0
    for _ in 0..<9 {
      try host.send((0..<100).flatMap { _ in [0x01, 0x02, 0x10, 0x00] })
      try fixture.settle()
      expected += 100
    }
    var received: [UInt8] = []
    for _ in 0..<100 where received.count < expected * 71 {
      received += try host.receive() ?? []
      try fixture.settle()
    }
    // 3 (header) + 4 (credits, opcode, status) + 64 = 71 bytes an answer.
    expect(received.count, is: expected * 71)
    expect(Set((0..<expected).map { received[$0 * 71 + 1] }), is: [0x0E])
    expect(fixture.server.clientCount, is: 1)
  }

  @Test("After a pause of its program, an air passes in slices, between which clients are served")
  func slices() throws {
    let air = fixture.server.air
    TestHost(on: air).advertise()
    let scanner = try fixture.connect()
    // Ahead of the monotonic clock: from here on, only this test moves the air.
    air.advance(to: MonotonicClock.now.advanced(by: 3_600_000))
    try scanner.send(bytes { LESetEventMask(mask: .max).writePacket(to: &$0) })
    try scanner.send(bytes { SetEventMask(mask: .max).writePacket(to: &$0) })
    try scanner.send(
      bytes { LESetScanEnable(enable: 1, filterDuplicates: 0).writePacket(to: &$0) })
    try fixture.settle()
    let start = try #require(fixture.server.deadline)
    let end = start.advanced(by: 10_000)
    _ = try scanner.receive()
    var slices = 0
    while let deadline = fixture.server.deadline, deadline <= end {
      fixture.server.advance(to: end)
      expect(air.now, is: min(deadline.advanced(by: 20), end))
      // 3 (header) + 1 (subevent) + 11 (report) + 3 (its data) + 1 (RSSI) = 18 bytes.
      expect(try scanner.receive()?.count, is: 18)
      try expectService(of: scanner, by: fixture)
      slices += 1
    }
    // An advertising event each 100 ms, the first at the start and the last at the end.
    expect(slices, is: 101)
    expect(air.now, is: end)
  }

  @Test("Closing a server disconnects every client")
  func close() throws {
    let host = try fixture.connect()
    _ = fixture.server.air.addController()
    fixture.server.close()
    expect(fixture.server.clientCount, is: 0)
    expect(fixture.server.air.controllers.count, is: 1)
    // The end of the stream arrives once the server has closed its side of the socket.
    expect(try host.receive(), is: nil)
    #expect(throws: SystemError.self) { _ = try StreamSocket.connect(path: fixture.path) }
  }
}
