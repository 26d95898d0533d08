import BluetoothHost
import EightBall

/// What a ball needs of its machine: a controller, buttons and lights, an output, a control socket,
/// a service manager, a clock and a way to sleep.
///
/// Static dispatch. No call allocates once the ball runs, and only `wait` waits.
public protocol Port: RadioPort, FrontPanelPort, PartsPort, OutputPort, ServicePort, BondPort,
  ControlPort, MetricsPort, ~Copyable
{
  /// The ball's extended advertising: `NoAdvertisingSets` unless the port says otherwise.
  associatedtype Sets: AdvertisingSetRole = NoAdvertisingSets

  /// The time by a clock that never goes back, in milliseconds.
  var now: Instant { mutating get }

  /// How often the ball was asked to end, by a signal or by a person. At the second time it ends
  /// without disconnecting first.
  var endRequests: Int { mutating get }

  /// When `advance(to:)` must be called next; `nil` if nothing is due.
  var deadline: Instant? { mutating get }

  /// Does what the port itself has to do by `now`. Called in each turn of the loop.
  mutating func advance(to now: Instant)

  /// The ball shows this answer now; `nil` after a clear. The default does nothing.
  mutating func answerChanged(to answer: Answer?)

  /// Sleeps until the port has input or `deadline` has come.
  ///
  /// - Parameter deadline: By the clock of `now`; `nil` to wait for input alone. With one in the
  ///   past it only checks for input.
  /// - Returns: `false` if the machine refuses to wait. The ball then ends.
  mutating func wait(until deadline: Instant?) -> Bool
}

extension Port where Self: ~Copyable {
  /// `nil`.
  @inlinable public var deadline: Instant? { nil }

  /// Does nothing.
  @inlinable public mutating func advance(to now: Instant) {}

  /// Does nothing.
  @inlinable public mutating func answerChanged(to answer: Answer?) {}
}

// MARK: Buttons and lights

/// An edge of a button's contact.
public struct ButtonEdge: Equatable, Sendable {
  /// Which button.
  public var button: ButtonName
  /// Whether its contact closed.
  public var isClosed: Bool
  /// When, by the port's clock, as exactly as the machine knows.
  public var time: Instant

  /// An edge of `button` at `time`.
  public init(button: ButtonName, isClosed: Bool, time: Instant) {
    self.button = button
    self.isClosed = isClosed
    self.time = time
  }
}

/// The result of a read of the next edge.
public enum EdgeRead: Equatable, Sendable {
  /// The oldest edge.
  case edge(ButtonEdge)
  /// No edge is waiting.
  case none
  /// The lines have gone.
  case lost
}

/// The result of a read of a button's contact.
public enum ContactRead: Equatable, Sendable {
  /// It is closed: the button is down.
  case closed
  /// It is open.
  case open
  /// The board has no such button.
  case none
  /// The lines have gone.
  case lost
}

/// A change of the lines that no call of the runner caused.
public enum LinesChange: Equatable, Sendable {
  /// Nothing.
  case none
  /// A chip of this machine was added, removed or changed. It may be the board's.
  case chipChanged
  /// The chip of the open lines was removed.
  case hungUp
}

/// The lines of two buttons and two lights.
///
/// The lines may be absent, and come and go: the runner reopens them. No call waits.
public protocol FrontPanelPort: ~Copyable {
  /// Whether the board has lines or parts at all. If not, the runner calls nothing else here, and nothing of
  /// `PartsPort`.
  var hasPanel: Bool { get }

  /// Opens all lines or none; `false` if that is not possible now.
  mutating func openLines() -> Bool

  /// Releases the lines.
  mutating func closeLines()

  /// How long the contacts of `button` may bounce, in milliseconds; 0 if the machine filters
  /// bounces.
  func debounce(of button: ButtonName) -> UInt32

  /// Reads the contact of `button`.
  mutating func contact(of button: ButtonName) -> ContactRead

  /// Takes the oldest edge.
  mutating func nextEdge() -> EdgeRead

  /// Whether edges wake the loop. They do after `openLines`.
  mutating func listen(toEdges isListening: Bool)

  /// Turns `light` on or off; does nothing if the board has no such light. `false` if the lines
  /// have gone.
  mutating func set(_ light: LightName, isLit: Bool) -> Bool

  /// Whether the open lines still work.
  mutating func checkLines() -> Bool

  /// Takes the change of the lines since the last call.
  mutating func takeLinesChange() -> LinesChange

  /// Writes why the lines cannot be used and what to do: one or two sentences in UTF-8, without the
  /// last full stop.
  func writeLinesError(to writer: inout ByteWriter)
}

// MARK: Output

/// A stream of lines.
public enum OutputStream: Equatable, Sendable {
  /// Results.
  case output
  /// Progress, and what went wrong.
  case errors
}

/// The result of a print.
public enum PrintResult: Equatable, Sendable {
  /// This number of bytes were taken, perhaps 0. The loop wakes when there is room for more.
  case taken(Int)
  /// Nothing reads the stream any more.
  case closed
}

/// A place to print, and the texts that only the machine knows.
public protocol OutputPort: ~Copyable {
  /// Prints as many of the first `bytes` as the stream takes without waiting.
  mutating func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult

  /// Writes the radio's name, such as `hci0`.
  func writeRadioName(to writer: inout ByteWriter)

  /// Writes why the radio could not be opened, read or written, and what to do: one or two
  /// sentences in UTF-8. The last full stop may be left out.
  func writeRadioError(to writer: inout ByteWriter)
}

// MARK: The service manager

/// The way to a service manager, such as systemd.
public protocol ServicePort: ~Copyable {
  /// Whether a service manager wants reports.
  var hasServiceManager: Bool { get }

  /// How long the service manager waits for a keep-alive report, in milliseconds; `nil` if it does
  /// not.
  var watchdogTimeout: UInt32? { get }

  /// Whether the port waits for a radio that is not there yet, perhaps for ever. The service counts as ready
  /// meanwhile, so that the start of the system does not wait for it.
  var waitsForRadio: Bool { get }

  /// Sends a datagram of `VARIABLE=VALUE` lines, as in sd_notify(3); `false` if it was not taken.
  mutating func report(_ message: Span<UInt8>) -> Bool
}

extension ServicePort where Self: ~Copyable {
  /// `false`.
  @inlinable public var hasServiceManager: Bool { false }

  /// `nil`.
  @inlinable public var watchdogTimeout: UInt32? { nil }

  /// `false`.
  @inlinable public var waitsForRadio: Bool { false }

  /// `false`.
  @inlinable public mutating func report(_ message: Span<UInt8>) -> Bool { false }
}

// MARK: Bonds

/// Storage for the bonds, and the user who confirms pairings. Not called without protection.
public protocol BondPort: ~Copyable {
  /// Whether it keeps bonds at all. If not, `keepBonds` is not called, and the bonds last until the
  /// ball ends.
  var keepsBonds: Bool { get }

  /// Replaces the bond file; `false` if that fails. Called at the end of a turn.
  mutating func keepBonds(_ file: Span<UInt8>) -> Bool

  /// Writes why the last call of `keepBonds` failed: one or two sentences in UTF-8, without the
  /// last full stop.
  func writeBondsError(to writer: inout ByteWriter)

  /// Takes the user's answer to the last question; `nil` without one.
  mutating func takeConfirmation() -> Bool?

  /// The user has to answer `question`; `nil` when no question is open any more.
  mutating func questionChanged(to question: PairingPrompt?)
}

extension BondPort where Self: ~Copyable {
  /// `true`.
  @inlinable public var keepsBonds: Bool { true }

  /// `true`: the bonds last until the ball ends.
  @inlinable public mutating func keepBonds(_ file: Span<UInt8>) -> Bool { true }

  /// Nothing.
  @inlinable public func writeBondsError(to writer: inout ByteWriter) {}

  /// `nil`: there is no user.
  @inlinable public mutating func takeConfirmation() -> Bool? { nil }

  /// Does nothing.
  @inlinable public mutating func questionChanged(to question: PairingPrompt?) {}
}
