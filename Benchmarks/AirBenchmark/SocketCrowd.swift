import BluetoothHost
import Glibc
import LinuxAir
import LinuxRadio
import VirtualRadio

/// A linked pair behind a server's UNIX socket, and advertisers beside it, each a client of its own.
/// A wait for packets runs the server's loop.
final class SocketCrowd {
  private let loop: EventLoop
  private let server: AirServer
  private let path = "/tmp/eightball-air-benchmark-\(getpid()).sock"
  private var clients: [SocketClient] = []
  private let question: [UInt8]
  private let response: [UInt8]
  private let notification: [UInt8]

  /// A crowd of `count` advertisers.
  init(_ count: Int) throws {
    // Each client has two ends here.
    let files = 2 * (count + 2)
    guard FileLimit.makeRoom(for: files) == files else {
      fail("the limit on open files is below \(files): raise it (ulimit -Hn)")
    }
    loop = try EventLoop()
    server = AirServer(
      air: VirtualAir(now: MonotonicClock.now), maximumClients: count + 2, loop: loop)
    try server.listen(on: try StreamListener(path: path))
    question = [UInt8](repeating: 63, count: 47)
    response = [1, 0, 4, 0, 0x13]
    notification = [UInt8](repeating: 65, count: 27)
    for index in 0..<count + 2 {
      let client = SocketClient(try StreamSocket.connect(path: path))
      clients.append(client)
      // Set Event Mask: every event.
      try send([0x01, 0x01, 0x0C, 8] + [UInt8](repeating: 0xFF, count: 8), client, answers: 1)
      // The first is the central.
      guard index > 0 else { continue }
      try send(
        [0x01, 0x06, 0x20, 15, 160, 0, 160, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0], client, answers: 1)
      try send([0x01, 0x0A, 0x20, 1, 1], client, answers: 1)
    }
    let peripheral = server.air.controllers[1].address
    var command = [UInt8](repeating: 0, count: 64)
    var length = 0
    do {
      var writer = ByteWriter(command.mutableSpan)
      LECreateConnection(
        scanInterval: 16, scanWindow: 16, filterPolicy: 0, peer: peripheral, ownAddressType: 0,
        parameters: .responsive
      ).writePacket(to: &writer)
      length = writer.count
    }
    // Command Status and LE Connection Complete.
    try send(Array(command.prefix(length)), clients[0], answers: 2)
    try wait(for: clients[1], packets: 1)
    for index in 0..<2 {
      guard let handle = server.air.controllers[index].connectionHandles.first else {
        fail("the pair has no link")
      }
      clients[index].handle = handle.rawValue
    }
  }

  deinit { server.close() }

  /// One question, its write response and the notification, and the credits that come back.
  func ask() throws {
    try exchange(question, from: 0, to: 1)
    try exchange(response, from: 1, to: 0)
    try exchange(notification, from: 1, to: 0)
  }

  private func exchange(_ data: [UInt8], from sender: Int, to receiver: Int) throws {
    let handle = clients[sender].handle
    // A link carries 27 bytes a packet unless more are asked for.
    let pieces = (data.count + 26) / 27
    try clients[sender].write(
      [0x02, UInt8(handle & 0xFF), UInt8(handle >> 8), UInt8(data.count), 0] + data)
    try wait(for: clients[receiver], packets: pieces)
    try wait(for: clients[sender], packets: 1)
  }

  private func send(_ packet: [UInt8], _ client: SocketClient, answers: Int) throws {
    try client.write(packet)
    try wait(for: client, packets: answers)
  }

  private func wait(for client: SocketClient, packets: Int) throws {
    let limit = MonotonicClock.now.advanced(by: 10_000)
    while try !client.take(packets) {
      guard MonotonicClock.now < limit else { fail("the server has stopped") }
      try loop.wait(until: server.deadline ?? limit)
      server.advance(to: MonotonicClock.now)
    }
  }
}

/// The far end of a client's socket.
final class SocketClient {
  var handle: UInt16 = 0
  private let descriptor: FileDescriptor
  private var pending: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 4_096)
  private var packets = 0

  init(_ descriptor: consuming FileDescriptor) {
    self.descriptor = descriptor
  }

  func write(_ bytes: [UInt8]) throws {
    guard try descriptor.write(bytes.span) == bytes.count else { fail("the socket is full") }
  }

  /// Whether so many packets have come, which are then taken.
  func take(_ count: Int) throws(SystemError) -> Bool {
    if packets < count { try read() }
    guard packets >= count else { return false }
    packets -= count
    return true
  }

  private func read() throws(SystemError) {
    guard case .bytes(let count) = try Self.read(descriptor, into: &buffer) else { return }
    pending += buffer.prefix(count)
    // An event's length is its third byte, an ACL packet's the fourth and fifth.
    while pending.count >= 5 {
      let isEvent = pending[0] == HCIPacketType.event.rawValue
      let length = isEvent ? 3 + Int(pending[2]) : 5 + Int(pending[3]) + Int(pending[4]) << 8
      guard pending.count >= length else { return }
      pending.removeFirst(length)
      packets += 1
    }
  }

  private static func read(
    _ descriptor: borrowing FileDescriptor, into buffer: inout [UInt8]
  ) throws(SystemError) -> FileDescriptor.ReadResult {
    var space = buffer.mutableSpan
    return try descriptor.read(into: &space)
  }
}
