import BluetoothHost
import LinuxSystem

/// The way to a Bluetooth controller: whole packets out and in, whatever is between.
///
/// A radio that is lost is opened again, after 250 ms at first and then more and more seldom, to
/// once in 5 s. It allocates when it opens, and not for any packet.
public struct Radio: ~Copyable {
  /// Which one it is.
  public let name: RadioName

  /// Those who look on at the packets.
  public var sinks: [any PacketSink] = []

  let source: RadioSource
  private var connection: RadioConnection?
  /// Whether the program has yet to be told that there is a connection.
  private var isNew: Bool
  /// Why the connection is of no more use, until the program is told.
  private var failure: RadioError?
  /// Why it could not be opened when that was last tried; `nil` once it has been, or before it is.
  public private(set) var refusal: RadioError?
  /// When to try again; `nil` while it is open, or waits for the controller to come.
  private var retry: Instant?
  /// How often in a row it has failed without a packet.
  private var failures: UInt32 = 0
  /// How many Resets have been sent since the last packet came.
  private var unansweredResets = 0

  private let input = RadioInput()
  private var output = RadioOutput()

  /// The longest packet that can be sent or received: 5 bytes of header and 2,048 of data.
  public static let longestPacket = 2_053

  /// The packets that are received in a row before somebody else has a turn.
  static let burst = 32

  /// After so many Resets and no packet at all, a controller is given up: the connection is closed,
  /// and made anew. A program sends one in 2 s or so.
  static let resetLimit = 3

  /// A radio that `serve` opens, and tries to open again for as long as that fails: `refusal` tells
  /// why.
  ///
  /// - Parameter airPath: Where the virtual air is.
  public init(
    toBeOpened name: RadioName, loop: EventLoop, airPath: String = SharedAir.usualPath
  ) {
    self.name = name
    source = RadioSource(name, loop: loop, airPath: airPath)
    isNew = false
  }

  /// Opens a radio in `loop`. One to which the controller has to come waits for it, and one whose
  /// host has a name waits for its address: `refusal` says why if it cannot be found.
  ///
  /// - Parameter airPath: Where the virtual air is.
  /// - Throws: Why it cannot be opened.
  public init(
    _ name: RadioName, loop: EventLoop, airPath: String = SharedAir.usualPath
  ) throws(RadioError) {
    let source = RadioSource(name, loop: loop, airPath: airPath)
    let opened: RadioConnection?
    do throws(SystemError) {
      opened = try source.open(at: MonotonicClock.now)
    } catch {
      throw RadioError(name, error)
    }
    self.name = name
    self.source = source
    connection = opened
    isNew = opened != nil
  }

  deinit {
    connection?.close()
    source.close()
  }

  /// Closes it for good. An adapter is given back to the kernel as it was.
  public mutating func close() {
    connection?.close()
    connection = nil
    retry = nil
    source.close()
  }

  /// Whether the controller can be reached, as far as is known.
  public var isOpen: Bool { connection != nil && failure == nil }

  /// Whether this program hosts the virtual air.
  package var isHostingAir: Bool { source.air?.server != nil }

  /// When `serve` must be called next; `nil` if only a descriptor can bring anything.
  public var deadline: Instant? {
    .earlier(.earlier(retry, source.deadline), source.air?.server?.deadline)
  }

  /// Gives `program` what has come, and the controller what `program` has for it. Call it after
  /// every turn of the loop, and by `deadline`.
  ///
  /// - Returns: Whether there may be more at once: the loop should not sleep.
  public mutating func serve<Program: RadioProgram & ~Copyable>(
    _ program: inout Program, at now: Instant
  ) -> Bool {
    if connection == nil { reopen(at: now) }
    if isNew {
      isNew = false
      program.radioIsReady(at: now)
    }
    let mayHaveMore = exchange(with: &program, at: now)
    program.advance(to: now)
    send(from: &program, at: now)
    source.air?.server?.advance(to: now)
    if let failure { lose(failure, &program, at: now) }
    program.turnEnded()
    return mayHaveMore
  }

  // MARK: Packets

  /// Receives a burst of packets, and sends what each brings before the next can replace it; whether
  /// that was not all.
  private mutating func exchange<Program: RadioProgram & ~Copyable>(
    with program: inout Program, at now: Instant
  ) -> Bool {
    guard let connection else { return false }
    for _ in 0..<Self.burst {
      do throws(RadioError) {
        guard try input.deliver(from: connection, name, to: &program, sinks, at: now) else {
          return false
        }
        failures = 0
        unansweredResets = 0
      } catch {
        failure = failure ?? error
        return false
      }
      send(from: &program, at: now)
    }
    return true
  }

  /// Sends until the program has nothing more, or the controller takes no more for now: what the
  /// program has then, it keeps.
  private mutating func send<Program: RadioProgram & ~Copyable>(
    from program: inout Program, at now: Instant
  ) {
    guard let connection, failure == nil else { return }
    do throws(SystemError) {
      while try output.flush(to: connection), output.fill(from: &program, at: now) {
        for sink in sinks { sink.note(output.packet, .sent) }
        countReset()
      }
    } catch {
      failure = RadioError(name, error)
    }
  }

  /// Notices a controller that answers nothing.
  private mutating func countReset() {
    guard output.isReset else { return }
    unansweredResets += 1
    guard unansweredResets > Self.resetLimit else { return }
    failure = RadioError(
      "\(name) answers nothing: \(Self.resetLimit) Resets were left unanswered",
      remedy: "Is it a Bluetooth controller that speaks H4?")
  }

  // MARK: Losing and finding

  private mutating func lose<Program: RadioProgram & ~Copyable>(
    _ error: RadioError, _ program: inout Program, at now: Instant
  ) {
    connection?.close()
    connection = nil
    failure = nil
    input.reset()
    output.reset()
    unansweredResets = 0
    waitToReopen(from: now)
    program.radioIsLost(error, at: now)
  }

  mutating func reopen(at now: Instant) {
    if let retry, retry > now { return }
    do throws(SystemError) {
      connection = try source.open(at: now)
      isNew = connection != nil
      retry = nil
      // While its host is looked for again, what is known is why it was not found before.
      if source.deadline == nil { refusal = nil }
    } catch {
      refusal = RadioError(name, error)
      waitToReopen(from: now)
    }
  }

  private mutating func waitToReopen(from now: Instant) {
    retry = now.advanced(by: RetryPace.delay(after: failures))
    failures += 1
  }
}
