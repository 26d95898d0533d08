import BluetoothHost
import Linux

/// A connection to a Bluetooth controller that carries whole packets, over any transport.
///
/// A lost radio is opened again, first after 250 ms, then at growing intervals up to 5 s. It
/// allocates when it opens, and not for packets.
public struct Radio: ~Copyable {
  /// The longest packet that can be received: 5 bytes of header and 2,048 of data.
  public static let longestPacket = 2_053

  private var port: RadioSourcePort
  private var link = RadioLink<2_053>()

  /// A radio that `serve` opens, and retries while that fails: `openError` says why.
  ///
  /// - Parameter air: The virtual air, for the radio `virtual`. It is closed with the radio.
  public init(toBeOpened name: RadioAddress, loop: EventLoop, air: (any AirHost)? = nil) {
    self.init(toBeOpened: name, loop: loop, air: air, sharing: nil)
  }

  /// As `init(toBeOpened:loop:air:)`.
  ///
  /// - Parameters:
  ///   - sharing: How a radio beside bluetoothd is used: `bluez`, of the module `BlueZ`. Without it, there is none.
  ///   - time: The time of the program.
  package init(
    toBeOpened name: RadioAddress, loop: EventLoop, air: (any AirHost)?, sharing: RadioSharing?,
    time: AirTime = AirTime()
  ) {
    port = RadioSourcePort(name, loop: loop, air: air, sharing: sharing, time: time)
  }

  /// Opens a radio in `loop`. A `tcp-server` then waits for its controller, and a host's name for
  /// its address: `openError` says why if it cannot be found.
  ///
  /// - Parameter air: The virtual air, for the radio `virtual`. It is closed with the radio.
  /// - Throws: Why it cannot be opened.
  public init(
    _ name: RadioAddress, loop: EventLoop, air: (any AirHost)? = nil
  ) throws(RadioError) {
    port = RadioSourcePort(name, loop: loop, air: air)
    link.open(&port, at: MonotonicClock.now)
    if let openError = port.openError { throw openError }
  }

  /// Its name.
  public var name: RadioAddress { port.name }

  /// The sinks that get the packets.
  public var sinks: [any PacketSink] {
    get { port.sinks }
    set { port.sinks = newValue }
  }

  /// Why the last attempt to open it failed; `nil` before the first attempt and after a success.
  public var openError: RadioError? { port.openError }

  /// Closes it for good. An adapter returns to the kernel.
  public mutating func close() {
    link.close(&port)
    port.close()
  }

  /// Whether the controller can be reached, as far as known.
  public var isOpen: Bool { link.isOpen }

  /// When `serve` must be called next; `nil` to wait for a descriptor.
  public var deadline: Instant? { .earlier(link.deadline, port.deadline) }

  /// The time of the program on the radio.
  package var time: AirTime { port.time }

  /// Until when the loop may wait: see `AirTime`.
  package mutating func wait(until deadline: Instant?) -> Instant? {
    port.wait(until: deadline, hasOutput: link.hasOutput)
  }

  /// Passes the attributes of the program's server to the radio, after they have changed. Does nothing while the radio
  /// is closed.
  package mutating func export<Program: RadioProgram & ~Copyable>(of program: borrowing Program) {
    if link.isOpen { program.exportAttributes(to: &port) }
  }

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
    if case .lost(let error) = turn {
      program.radioIsLost(RadioError(error, of: port.name, failure: port.failure), at: now)
    }
    program.turnEnded()
    return turn == .unfinished
  }
}

/// A program on a radio: a Bluetooth host and its application.
///
/// The calls come from one thread, with the time of the program: the monotonic clock, or the simulated time of its air.
public protocol RadioProgram: RadioDriver, ~Copyable {
  /// The radio is lost. It cannot be used until it is ready again.
  mutating func radioIsLost(_ error: RadioError, at now: Instant)

  /// When `advance(to:)` must be called next; `nil` to wait for a packet.
  var deadline: Instant? { mutating get }

  /// All received packets have been handled. Reporting events here does not delay an answer.
  mutating func turnEnded()

  /// The user ends the program: it disconnects its peers.
  mutating func shutDown(at now: Instant)

  /// Whether the program has ended.
  var isFinished: Bool { mutating get }
}
