import BluetoothHost
import LinuxAir
import LinuxSystem

/// A connection to a Bluetooth controller that carries whole packets, over any transport.
///
/// A lost radio is opened again, first after 250 ms, then at growing intervals up to 5 s. It
/// allocates when it opens, and not for packets.
public struct Radio: ~Copyable {
  /// The longest packet that can be received: 5 bytes of header and 2,048 of data.
  public static let longestPacket = 2_053

  private var port: RadioSourcePort
  private var link = RadioLink<2_053>()

  /// A radio that `serve` opens, and retries while that fails: `refusal` says why.
  ///
  /// - Parameter airPath: The path of the virtual air's socket.
  public init(
    toBeOpened name: RadioAddress, loop: EventLoop, airPath: String = SharedAir.defaultPath
  ) {
    port = RadioSourcePort(name, loop: loop, airPath: airPath)
  }

  /// Opens a radio in `loop`. A `tcp-server` then waits for its controller, and a host's name for
  /// its address: `refusal` says why if it cannot be found.
  ///
  /// - Parameter airPath: The path of the virtual air's socket.
  /// - Throws: Why it cannot be opened.
  public init(
    _ name: RadioAddress, loop: EventLoop, airPath: String = SharedAir.defaultPath
  ) throws(RadioError) {
    port = RadioSourcePort(name, loop: loop, airPath: airPath)
    link.open(&port, at: MonotonicClock.now)
    if let refusal = port.refusal { throw refusal }
  }

  /// Its name.
  public var name: RadioAddress { port.name }

  /// The sinks that get the packets.
  public var sinks: [any PacketSink] {
    get { port.sinks }
    set { port.sinks = newValue }
  }

  /// Why the last attempt to open it failed; `nil` before the first attempt and after a success.
  public var refusal: RadioError? { port.refusal }

  /// Closes it for good. An adapter returns to the kernel.
  public mutating func close() {
    link.close(&port)
    port.close()
  }

  /// Whether the controller can be reached, as far as known.
  public var isOpen: Bool { link.isOpen }

  /// Whether this program hosts the virtual air.
  package var isHostingAir: Bool { port.isHostingAir }

  /// When `serve` must be called next; `nil` to wait for a descriptor.
  public var deadline: Instant? { .earlier(link.deadline, port.deadline) }

  /// Passes received packets to `program`, and its packets to the controller. Call it after every
  /// turn of the loop, and by `deadline`.
  ///
  /// - Returns: Whether more packets may be waiting: the loop should not sleep.
  public mutating func serve<Program: RadioProgram & ~Copyable>(
    _ program: inout Program, at now: Instant
  ) -> Bool {
    link.open(&port, at: now)
    let turn = link.serve(&port, for: &program, at: now)
    port.advance(to: now)
    if case .lost(let loss) = turn {
      program.radioIsLost(RadioError(loss, of: port.name, failure: port.failure), at: now)
    }
    program.turnEnded()
    return turn == .unfinished
  }
}
