import BluetoothHost
import Linux
import LinuxSystem
import VirtualRadio

/// One connection of a server, and its controller.
final class AirClient: AirSocket {
  let controller: VirtualController
  let token: PollToken
  private let connection: FileDescriptor
  private weak var server: AirServer?
  private var isOpen = false
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
    _ connection: consuming FileDescriptor, token: PollToken, controller: VirtualController,
    server: AirServer
  ) {
    self.connection = connection
    self.token = token
    self.controller = controller
    self.server = server
    output = [UInt8](repeating: 0, count: max(4_096, controller.maximumPacketLength))
  }

  var number: Int32 { connection.rawValue }

  /// It is in the queue.
  func open() {
    isOpen = true
    controller.onPacket = { [weak self] in
      guard let self else { return }
      server?.packetIsWaiting(for: self)
    }
  }

  func close() {
    isOpen = false
    controller.onPacket = nil
  }

  func handle(_ events: UInt32) {
    server?.serve(self, events)
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

  /// Writes as many packets as the socket takes. The rest stays with the controller, except a few
  /// thousand bytes. Returns a notice if the client must be removed.
  func transmit() -> AirServer.Notice? {
    guard isOpen else { return nil }
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
        guard fill() else {
          waitForRoom(false)
          return nil
        }
      }
    } catch {
      return error.code == .brokenPipe || error.code == .connectionReset
        ? .left(controller.address) : .dropped(controller.address, why: error.description)
    }
  }

  /// Moves packets from the controller into the empty buffer; `false` without packets.
  private func fill() -> Bool {
    var writer = ByteWriter(output.mutableSpan)
    while controller.nextPacket(into: &writer) {}
    sent = 0
    filled = writer.count
    return filled > 0
  }

  private func waitForRoom(_ isWaiting: Bool) {
    guard isWaiting != waitsForRoom, let server else { return }
    let writable = isWaiting ? PollQueue.writable : 0
    server.queue.change(number, token, to: PollQueue.readable | writable)
    waitsForRoom = isWaiting
  }
}
