import BluetoothHost
import LinuxSystem

/// The way to a Bluetooth controller: whole packets out and in, whatever is between.
///
/// A radio that is lost is opened again, after 250 ms at first and then more and more seldom, down to
/// once in 5 s. It allocates when it opens, and not for any packet.
public struct Radio: ~Copyable {
  /// The longest packet that can be received: 5 bytes of header and 2,048 of data.
  public static let longestPacket = 2_053

  private var port: RadioSourcePort
  private var link = RadioLink<2_053>()

  /// A radio that `serve` opens, and tries to open again for as long as that fails: `refusal` says why.
  ///
  /// - Parameter airPath: Where the virtual air is.
  public init(
    toBeOpened name: RadioName, loop: EventLoop, airPath: String = SharedAir.usualPath
  ) {
    port = RadioSourcePort(name, loop: loop, airPath: airPath)
  }

  /// Opens a radio in `loop`. One to which the controller has to come waits for it, and one whose
  /// host has a name waits for its address: `refusal` says why if it cannot be found.
  ///
  /// - Parameter airPath: Where the virtual air is.
  /// - Throws: Why it cannot be opened.
  public init(
    _ name: RadioName, loop: EventLoop, airPath: String = SharedAir.usualPath
  ) throws(RadioError) {
    port = RadioSourcePort(name, loop: loop, airPath: airPath)
    link.open(&port, at: MonotonicClock.now)
    if let refusal = port.refusal { throw refusal }
  }

  /// Which one it is.
  public var name: RadioName { port.name }

  /// Those that see the packets.
  public var sinks: [any PacketSink] {
    get { port.sinks }
    set { port.sinks = newValue }
  }

  /// Why it could not be opened when that was last tried; `nil` once it has been, or before it is.
  public var refusal: RadioError? { port.refusal }

  /// Closes it for good. An adapter is given back to the kernel as it was.
  public mutating func close() {
    link.close(&port)
    port.close()
  }

  /// Whether the controller can be reached, as far as is known.
  public var isOpen: Bool { link.isOpen }

  /// Whether this program hosts the virtual air.
  package var isHostingAir: Bool { port.isHostingAir }

  /// When `serve` must be called next; `nil` if only a descriptor can bring anything.
  public var deadline: Instant? { .earlier(link.deadline, port.deadline) }

  /// Gives `program` what has come, and the controller what `program` has for it. Call it after
  /// every turn of the loop, and by `deadline`.
  ///
  /// - Returns: Whether there may be more at once: the loop should not sleep.
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
