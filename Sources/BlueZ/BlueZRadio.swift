import BluetoothHost
import Linux

/// An adapter that bluetoothd drives, as a controller for a host of this program: `--radio bluez:hciN`.
///
/// Packets of the host go in, and packets for it come out, while all else on the adapter goes on. What
/// bluetoothd does for this program ends with the connection to the bus, however that ends.
package struct BlueZRadio: ~Copyable {
  /// The token of the bus's socket among those of the radio.
  private static var busToken: PollToken { PollToken(rawValue: 0) }

  private let socket: PortDescriptor
  private var input: DBusInput
  /// In memory of its own: most programs never touch its thousands of bytes.
  private var session: Mapped<BlueZSession>
  private var waitsToWrite = false
  /// Whether received messages wait until the host has read.
  private var isBehind = false

  /// Begins to open the adapter hciN.
  ///
  /// - Throws: Why there is no bus.
  package init(adapter: UInt16, at now: Instant) throws(SystemCallError) {
    try self.init(adapter: adapter, on: SystemBus.connect(), at: now)
  }

  /// Begins to open the adapter hciN of the bluetoothd on this bus, a socket that does not block.
  package init(
    adapter: UInt16, on socket: consuming PortDescriptor, at now: Instant
  ) throws(SystemCallError) {
    let number = socket.number
    let session = Mapped<BlueZSession> {
      guard let session = BlueZSession(adapter: adapter, at: now),
        session.bus.sockets.add(number, Self.busToken, for: .readable)
      else { return nil }
      return session
    }
    guard let input = DBusInput(), let session else {
      throw SystemCallError(code: .outOfMemory, operation: .open)
    }
    self.socket = socket
    self.input = input
    self.session = session
    flush()
  }

  /// Whether bluetoothd has described the adapter.
  package var isOpen: Bool { session.value.isOpen }

  /// The descriptor to watch: readable when `read` has something to do.
  package var number: Int32 { session.value.bus.sockets.number }

  /// Why the radio cannot be used; `nil` while it can. It is closed by its end.
  package var failure: ErrorNumber? { session.value.bus.failure }

  /// When `read` must be called next; `nil` to wait for the descriptor.
  package var deadline: Instant? {
    isBehind ? session.value.bus.now : session.value.deadline
  }

  /// Whether bluetoothd pairs with each peripheral that the host connects to, before the link opens.
  package var pairs: Bool {
    get { session.value.pairs }
    set { session.value.pairs = newValue }
  }

  /// Describes the services that bluetoothd offers for this program.
  ///
  /// - Parameter protection: What the application's values require beside their own protection.
  package mutating func export(_ attributes: Span<Attribute>, protection: AttributeProtection) {
    session.value.export(attributes, protection: protection)
    flush()
  }

  /// Ends what bluetoothd does for this program, before the radio is closed.
  package mutating func end() {
    // A central's first call may have come after the last turn: its connection ends, too.
    receive()
    session.value.reset()
    flush()
  }

  /// Serves the bus, and moves the next packet for the host to the front of `space`.
  package mutating func read(into space: inout MutableSpan<UInt8>, at now: Instant) -> RadioRead {
    if !session.value.controller.hasPacket { serve(at: now) }
    let count = session.value.controller.read(into: &space)
    if count > 0 { return .bytes(count) }
    return failure == nil ? .nothing : .failed
  }

  /// Takes a packet of the host.
  package mutating func write(_ packet: Span<UInt8>, at now: Instant) -> RadioWrite {
    session.value.take(packet, at: now)
    flush()
    return failure == nil ? .taken(packet.count) : .failed
  }

  /// Handles what has come from the bus and on the sockets, and the calls without a reply.
  package mutating func serve(at now: Instant) {
    var busEvents = Readiness.none
    var sockets = (ofPeripheral: UInt32(0), ofCentral: UInt32(0))
    _ = session.value.bus.sockets.wait(0) { token, events in
      let index = token.rawValue &- BlueZPeripheral.firstToken
      let centralIndex = token.rawValue &- BlueZCentral.firstToken
      if token == Self.busToken {
        busEvents.add(events)
      } else if index < UInt32(UpdateSockets.capacity) {
        sockets.ofPeripheral |= 1 &<< index
      } else if centralIndex < UInt32(BlueZCentral.subscriptionLimit) {
        sockets.ofCentral |= 1 &<< centralIndex
      }
    }
    session.value.advance(to: now)
    if busEvents.isReadable || isBehind { receive() }
    session.value.read(sockets.ofPeripheral, sockets.ofCentral)
    session.value.finishTurn()
    flush()
  }

  /// Reads the bus until it has no more, or the host should read first.
  private mutating func receive() {
    if isBehind {
      if session.value.isReporting { input.putBack() }
      handleMessages()
    }
    while failure == nil, session.value.controller.hasRoom {
      switch input.receive(from: socket, &session.value.descriptors) {
      case .bytes(0): return session.value.bus.fail(.connectionReset)
      case .bytes: handleMessages()
      case .wouldBlock: return
      case .failed(let code): return session.value.bus.fail(code)
      }
    }
  }

  private mutating func handleMessages() {
    do throws(DBusInput.StreamError) {
      while failure == nil {
        isBehind = !session.value.controller.hasRoom
        guard !isBehind, let message = try input.next() else { return }
        session.value.handle(message)
      }
    } catch {
      session.value.bus.fail(error == .refused ? .notPermitted : .remoteInputOutput)
    }
  }

  private mutating func flush() {
    while session.value.bus.output.hasBytes {
      switch session.value.bus.output.send(to: socket) {
      case .bytes: break
      case .wouldBlock: return waitToWrite(true)
      case .failed(let code): return session.value.bus.fail(code)
      }
    }
    waitToWrite(false)
  }

  private mutating func waitToWrite(_ isWanted: Bool) {
    guard isWanted != waitsToWrite else { return }
    waitsToWrite = isWanted
    session.value.bus.sockets.change(
      socket.number, Self.busToken, to: isWanted ? .readableOrWritable : .readable)
  }
}
