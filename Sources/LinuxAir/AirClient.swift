import BluetoothHost
import Glibc
import LinuxRadio
import VirtualRadio

/// One connection of a server, and its controller.
final class AirClient: EventHandler {
  let controller: VirtualController
  private let connection: FileDescriptor
  /// Whether the host is this machine's kernel: each read and each write is then one packet.
  private let isKernel: Bool
  private weak var server: AirServer?
  private let loop: EventLoop
  /// Its place in the loop, while it is open.
  private var registration: EventLoop.Registration?
  private var waitsForRoom = false
  /// Whether it is in the server's list of clients with packets.
  var isWaiting = false

  // The longest packet that a client may send: 5 bytes of header and 2,048 of data.
  private var decoder = H4StreamDecoder<2_053>()
  private var input = [UInt8](repeating: 0, count: 4_096)
  /// Packets for the socket: the bytes from `sent` to `filled`.
  private var output: [UInt8]
  private var sent = 0
  private var filled = 0

  init(
    _ connection: consuming FileDescriptor, isKernel: Bool = false, controller: VirtualController,
    server: AirServer, loop: EventLoop
  ) {
    self.connection = connection
    self.isKernel = isKernel
    self.controller = controller
    self.server = server
    self.loop = loop
    output = [UInt8](repeating: 0, count: max(4_096, controller.maximumPacketLength))
  }

  /// Enters the loop.
  func open() throws(SystemError) {
    registration = try loop.add(connection, for: .readable, handler: self)
    controller.onPacket = { [weak self] in
      guard let self else { return }
      server?.packetIsWaiting(for: self)
    }
  }

  /// The program on a UNIX socket, such as `eightball (process 42)`; `nil` if it is not known.
  var program: String? {
    // The process, the user and the group: unix(7).
    var peer: [CInt] = [0, 0, 0]
    var size = socklen_t(3 * MemoryLayout<CInt>.size)
    let result = unsafe getsockopt(connection.rawValue, SOL_SOCKET, SO_PEERCRED, &peer, &size)
    guard result == 0, peer[0] > 0, let name = try? Files.text(of: "/proc/\(peer[0])/comm") else {
      return nil
    }
    return "\(name.filter { $0 != "\n" }) (process \(peer[0]))"
  }

  /// Leaves the loop.
  func close() {
    if let registration { loop.remove(registration) }
    registration = nil
    controller.onPacket = nil
  }

  func handle(_ readiness: Readiness, token: Int) {
    server?.serve(self, readiness)
  }

  // MARK: From the host

  /// Reads up to a few thousand bytes, then other clients have their turn. Returns a notice if the
  /// client must be removed.
  func receive() -> AirServer.Notice? {
    let count: Int
    do throws(SystemError) {
      var space = input.mutableSpan
      switch try connection.read(into: &space) {
      case .nothingYet: return nil
      case .end: return .left(controller.address)
      case .bytes(let read): count = read
      }
    } catch {
      // A reset means that the peer closed without reading everything: the same as closing.
      return error.code == .connectionReset
        ? .left(controller.address) : .dropped(controller.address, why: error.description)
    }
    return take(count)
  }

  private func take(_ count: Int) -> AirServer.Notice? {
    if isKernel, let number = KernelDevice.adapter(in: input.span.extracting(first: count)) {
      server?.onNotice?(.adapter(number, controller.address))
      return nil
    }
    var reader = ByteReader(input.span.extracting(first: count))
    while true {
      switch decoder.next(from: &reader) {
      case .incomplete:
        return nil
      case .packet(let packet):
        controller.send(packet)
      case .tooLong:
        controller.counters.malformedPackets += 1
      case .lostSync(let byte):
        return .dropped(
          controller.address, why: "it sent 0x\(hexadecimal(byte)) where a packet begins")
      }
      if controller.counters.droppedCommands > 0 {
        return .dropped(controller.address, why: "it sends commands and does not read the answers")
      }
    }
  }

  // MARK: To the host

  /// Adds a packet that goes before those of the controller; `false` if earlier bytes still wait.
  func put(_ packet: [UInt8]) -> Bool {
    guard sent == filled else { return false }
    var writer = ByteWriter(output.mutableSpan)
    writer.write(packet.span)
    sent = 0
    filled = writer.count
    return true
  }

  /// Writes as many packets as the socket takes. The rest stays with the controller, except a few
  /// thousand bytes. Returns a notice if the client must be removed.
  ///
  /// - Parameter isPutOnly: Whether to leave the controller's packets where they are.
  func transmit(isPutOnly: Bool = false) -> AirServer.Notice? {
    guard registration != nil else { return nil }
    do throws(SystemError) {
      while true {
        while sent < filled {
          let count = try connection.write(output.span.extracting(sent..<filled))
          sent += count
          guard count > 0 else {
            waitForRoom(true)
            return nil
          }
        }
        guard !isPutOnly, fill() else {
          waitForRoom(false)
          return nil
        }
      }
    } catch {
      return error.code == .brokenPipe || error.code == .connectionReset
        ? .left(controller.address) : .dropped(controller.address, why: error.description)
    }
  }

  /// Moves packets from the controller into the empty buffer, one at a time for the kernel; `false` without
  /// packets.
  private func fill() -> Bool {
    var writer = ByteWriter(output.mutableSpan)
    while controller.nextPacket(into: &writer), !isKernel {}
    sent = 0
    filled = writer.count
    return filled > 0
  }

  private func waitForRoom(_ isWaiting: Bool) {
    guard isWaiting != waitsForRoom, let registration else { return }
    // Fails only if the kernel has no memory.
    try? loop.change(registration, to: isWaiting ? .readableOrWritable : .readable)
    waitsForRoom = isWaiting
  }
}
