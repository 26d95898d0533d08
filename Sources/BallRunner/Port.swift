import BluetoothHost
import EightBall

/// All that a ball needs of the machine it runs on: a controller's bytes, buttons and lights, a place to
/// print, a service manager, a clock, and a way to sleep.
///
/// Static dispatch. No call allocates once the ball runs, and none waits but `wait`.
public protocol Port: RadioPort, PanelPort, OutputPort, ServicePort, BondPort, ~Copyable {
  /// The time by a clock that never goes back, in milliseconds.
  var now: Instant { mutating get }

  /// How often the ball was asked to end: by a signal, or by a person. At the second time it does not
  /// say goodbye.
  var endRequests: Int { mutating get }

  /// When `advance(to:)` must be called next; `nil` if the port waits for nothing.
  var deadline: Instant? { mutating get }

  /// Lets time pass for what the port itself does. Called in each turn of the loop.
  mutating func advance(to now: Instant)

  /// The ball shows this answer from now on; `nil` if it has forgotten all. The default does nothing.
  mutating func answerChanged(to answer: Answer?)

  /// Sleeps until the port has news or `deadline` has come.
  ///
  /// - Parameter deadline: By `now`'s clock; `nil` to sleep for as long as it takes. One in the past only
  ///   looks for news.
  /// - Returns: `false` if the machine refuses to wait. The ball ends then.
  mutating func wait(until deadline: Instant?) -> Bool
}

extension Port where Self: ~Copyable {
  /// `nil`.
  @inlinable
  public var deadline: Instant? { nil }

  /// Does nothing.
  @inlinable
  public mutating func advance(to now: Instant) {}

  /// Does nothing.
  @inlinable
  public mutating func answerChanged(to answer: Answer?) {}
}

// MARK: Buttons and lights

/// What has happened at a button.
public struct ButtonEdge: Equatable, Sendable {
  /// Which button.
  public var button: ButtonName
  /// Whether its contact closed.
  public var isClosed: Bool
  /// When, by the port's clock, as far as the machine knows.
  public var time: Instant

  /// An edge of `button` at `time`.
  public init(button: ButtonName, isClosed: Bool, time: Instant) {
    self.button = button
    self.isClosed = isClosed
    self.time = time
  }
}

/// What a look for the next edge has given.
public enum EdgeRead: Equatable, Sendable {
  /// The oldest edge.
  case edge(ButtonEdge)
  /// There is none now.
  case none
  /// The lines have gone.
  case lost
}

/// What a look at a button's contact has given.
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

/// What has become of the lines without a call.
public enum LinesNews: Equatable, Sendable {
  /// Nothing.
  case none
  /// A chip of this machine has come, gone or changed. It is perhaps the board's.
  case chipChanged
  /// The chip of the open lines has gone.
  case hungUp
}

/// The lines of two buttons and two lights.
///
/// The lines may be absent, and come and go: the runner opens them again. No call waits.
public protocol PanelPort: ~Copyable {
  /// Whether the board has lines at all. If not, nothing else here is called.
  var hasPanel: Bool { get }

  /// Opens the lines: all, or none. `false` if that is not possible now.
  mutating func openLines() -> Bool

  /// Gives the lines back.
  mutating func closeLines()

  /// How long the contacts of `button` may bounce, in milliseconds; 0 if the machine leaves bounces out.
  func debounce(of button: ButtonName) -> UInt32

  /// Looks at the contact of `button`.
  mutating func contact(of button: ButtonName) -> ContactRead

  /// Takes the oldest edge.
  mutating func nextEdge() -> EdgeRead

  /// Whether edges wake the loop. They do when the lines have been opened.
  mutating func listen(toEdges isListening: Bool)

  /// Turns `light` on or off; nothing happens if the board has no such light. `false` if the lines have
  /// gone.
  mutating func set(_ light: LightName, isLit: Bool) -> Bool

  /// Whether the open lines are still of use.
  mutating func checkLines() -> Bool

  /// Takes what has become of the lines since the last call.
  mutating func takeLinesNews() -> LinesNews

  /// Writes why the lines cannot be used and what helps: one or two sentences in UTF-8, without the last
  /// full stop.
  func writeLinesTrouble(to writer: inout ByteWriter)
}

// MARK: Words

/// Where lines go.
public enum OutputStream: Equatable, Sendable {
  /// Results.
  case output
  /// Progress, and what went wrong.
  case errors
}

/// What has become of bytes to print.
public enum PrintResult: Equatable, Sendable {
  /// So many bytes were taken, perhaps none now: the loop wakes when more would be.
  case taken(Int)
  /// Nothing reads the stream any more.
  case closed
}

/// A place to print, and the words that only the machine knows.
public protocol OutputPort: ~Copyable {
  /// Prints the first of `bytes`, as many as are taken without waiting.
  mutating func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult

  /// Writes the radio's name, such as `hci0`.
  func writeRadioName(to writer: inout ByteWriter)

  /// Writes why the radio could not be opened, read or written, and what helps: one or two sentences in
  /// UTF-8. The last full stop may be left out.
  func writeRadioTrouble(to writer: inout ByteWriter)
}

// MARK: The service manager

/// The way to a service manager, such as systemd.
public protocol ServicePort: ~Copyable {
  /// Whether a service manager wants reports.
  var hasServiceManager: Bool { get }

  /// How long the service manager waits for a sign of life, in milliseconds; `nil` if it does not.
  var watchdogPatience: UInt32? { get }

  /// Sends a datagram of `VARIABLE=VALUE` lines, as in sd_notify(3); whether it was taken.
  mutating func report(_ message: Span<UInt8>) -> Bool
}

extension ServicePort where Self: ~Copyable {
  /// `false`.
  @inlinable
  public var hasServiceManager: Bool { false }

  /// `nil`.
  @inlinable
  public var watchdogPatience: UInt32? { nil }

  /// Takes nothing.
  @inlinable
  public mutating func report(_ message: Span<UInt8>) -> Bool { false }
}

// MARK: Bonds

/// Where a ball that protects its links keeps its bonds, and its user. Without protection nothing here is
/// called.
public protocol BondPort: ~Copyable {
  /// Whether it keeps bonds at all. If not, `keepBonds` is not called, and the bonds last as long as the ball
  /// runs.
  var keepsBonds: Bool { get }

  /// Keeps the file of the bonds in place of the last one; `false` if that is not possible. Called at the
  /// end of a turn.
  mutating func keepBonds(_ file: Span<UInt8>) -> Bool

  /// Writes why the last call of `keepBonds` has failed: one or two sentences in UTF-8, without the last
  /// full stop.
  func writeBondsTrouble(to writer: inout ByteWriter)

  /// Takes what the user has answered to the last question; `nil` if nothing.
  mutating func takeConfirmation() -> Bool?

  /// The user has to answer this; `nil` if nothing is asked any more.
  mutating func questionChanged(to question: PairingPrompt?)
}

extension BondPort where Self: ~Copyable {
  /// `true`.
  @inlinable
  public var keepsBonds: Bool { true }

  /// `true`: the bonds last as long as the ball runs.
  @inlinable
  public mutating func keepBonds(_ file: Span<UInt8>) -> Bool { true }

  /// Nothing.
  @inlinable
  public func writeBondsTrouble(to writer: inout ByteWriter) {}

  /// `nil`: there is no user.
  @inlinable
  public mutating func takeConfirmation() -> Bool? { nil }

  /// Does nothing.
  @inlinable
  public mutating func questionChanged(to question: PairingPrompt?) {}
}
