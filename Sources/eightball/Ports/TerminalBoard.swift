import BallRunner
import BluetoothHost
import EightBall
import Glibc
import LinuxRadio
import VirtualBoard

/// What a terminal has of a ball's board: the keys, for a virtual board its buttons and lights and
/// the line that draws it, and the user who answers a pairing question.
final class TerminalBoard {
  /// The virtual board's buttons and lights; `nil` if the board is not virtual.
  let lines: VirtualLines?
  /// The virtual board's motion sensor and display; `nil` if it has none or is not virtual.
  let parts: VirtualParts?
  /// The user who answers pairing questions; `nil` without one.
  let user: PairingUser?

  private let screen: Screen
  private let time: AirTime
  private var keyboard: Keyboard?

  /// A terminal for `board`, which may be missing.
  ///
  /// - Parameters:
  ///   - board: The board.
  ///   - name: The ball's name, which a display shows.
  ///   - screen: Prints.
  ///   - hasUser: Whether a user at the terminal answers pairing questions.
  ///   - time: The time of keys.
  init(_ board: BoardDescription?, name: DeviceName, screen: Screen, hasUser: Bool, time: AirTime) {
    self.screen = screen
    user = hasUser ? PairingUser() : nil
    let virtual = board.flatMap { $0.isVirtual ? $0 : nil }
    lines = virtual.map { VirtualLines($0) }
    parts = virtual.flatMap { VirtualParts($0, name: name, at: time.now) }
    self.time = time
  }

  /// Starts to read keys, and to draw the ball.
  ///
  /// - Parameters:
  ///   - loop: Reads the keys.
  ///   - drawsBall: Whether to draw the ball on a virtual board, if there is a terminal.
  func open(in loop: EventLoop, drawsBall: Bool) throws(SystemError) {
    let (user, lines, parts, screen, time) = (user, lines, parts, screen, time)
    guard lines != nil || user != nil else { return }
    keyboard = try Keyboard(loop: loop) { key in
      user?.press(key)
      if let lines { Self.press(key, on: lines, parts, at: time.now) }
      guard key == "d" || key == "D", let line = screen.statusLine else { return }
      line.isPictureHidden.toggle()
      screen.draw()
    }
    guard let lines, let keyboard, drawsBall else { return }
    let line = StatusLine(lines, hasMotionSensor: parts?.hasMotionSensor ?? false) {
      [weak keyboard] in keyboard?.takeKeys() ?? false
    }
    guard Terminal.takesEscapes else {
      screen.note("Keys:" + String(writing: { line.writeKeys(to: &$0) }))
      return
    }
    line.question = { user?.question }
    line.picture = parts?.picture.map(PictureFrame.init)
    screen.statusLine = line
    lines.onChange = { screen.draw() }
    keyboard.onChange = { screen.draw() }
    screen.draw()
  }

  /// Whether the user wants to stop the program.
  var isStopWanted: Bool { keyboard?.isStopWanted ?? false }

  /// Stops the program; returns when it continues.
  func stop() { keyboard?.stop() }

  /// Shows this answer; `nil` for none.
  func show(_ answer: Answer?) {
    guard let statusLine = screen.statusLine else { return }
    statusLine.answer = answer
    screen.draw()
  }

  /// Shows what the display of the board shows.
  func show(_ picture: DisplayPicture) {
    guard let statusLine = screen.statusLine else { return }
    statusLine.picture = PictureFrame(picture)
    screen.draw()
  }

  /// The user has to answer `question`; `nil` for none.
  func ask(_ question: PairingPrompt?) {
    guard let user, user.question != question else { return }
    user.question = question
    screen.draw()
  }

  /// Restores the terminal and releases the lines.
  func close() {
    lines?.onChange = nil
    keyboard?.close()
    lines?.closeLines()
  }

  private static func press(
    _ key: Unicode.Scalar, on lines: VirtualLines, _ parts: VirtualParts?, at now: Instant
  ) {
    switch key {
    case "s", "S": lines.press(.shake, for: 100, at: now)
    case "c": lines.press(.clear, for: 100, at: now)
    case "C": lines.press(.clear, for: FrontPanel.holdTime + 100, at: now)
    case "m", "M": parts?.shake(at: now)
    case "q", "Q": kill(getpid(), SIGTERM)
    default: return
    }
  }
}

/// The user at the terminal, who answers a pairing question with yes or no.
final class PairingUser {
  /// Whether standard input and standard output are terminals.
  static var hasTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// The current question; `nil` for none, and keys are ignored then.
  var question: PairingPrompt?

  private var pendingAnswer: Bool?

  /// Takes a pressed key.
  func press(_ key: Unicode.Scalar) {
    guard question != nil else { return }
    switch key {
    case "y", "Y": pendingAnswer = true
    case "n", "N": pendingAnswer = false
    default: return
    }
  }

  /// Takes the answer; `nil` if there is none.
  func takeAnswer() -> Bool? {
    defer { pendingAnswer = nil }
    return pendingAnswer
  }
}

/// Reads keys from a terminal, one at a time and without an echo, while this program is in the
/// foreground.
///
/// In the background it does not read or change the terminal. After Control-Z its owner calls
/// `stop`, which restores the terminal and stops the program.
final class Keyboard: EventHandler {
  /// Whether the user wants to stop the program.
  private(set) var isStopWanted = false
  /// Called when the program continues, in the foreground or not, and when the terminal has another size.
  var onChange: (() -> Void)?
  /// Called with the last byte of an arrow's sequence: A up, B down, C right, D left.
  var onArrow: ((UInt8) -> Void)?

  private enum Token {
    static let key = 0
    static let signal = 1
  }

  private let descriptor: FileDescriptor
  private let signals: SignalQueue
  private let loop: EventLoop
  private let onKey: (Unicode.Scalar) -> Void
  private var registrations: (key: EventLoop.Registration, signal: EventLoop.Registration)?
  private var parser = KeyParser()
  /// The terminal's settings before they were changed; `nil` if they are unchanged.
  private var settings: termios?
  /// Whether keys are read.
  private var hasKeys = false

  /// Reads keys from standard input; `nil` unless it and standard output are terminals.
  init?(loop: EventLoop, onKey: @escaping (Unicode.Scalar) -> Void) throws(SystemError) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return nil }
    self.loop = loop
    self.onKey = onKey
    descriptor = FileDescriptor(owning: dup(STDIN_FILENO), name: "the keyboard")
    // With SIGTTIN blocked, a read in the background fails and does not stop the program.
    signals = try SignalQueue(
      [SIGTSTP, SIGCONT, SIGTTIN, SIGWINCH], name: "SIGTSTP, SIGCONT and SIGWINCH")
    let key = try loop.add(descriptor, for: .readableEdge, handler: self, token: Token.key)
    do throws(SystemError) {
      registrations = (
        key,
        try loop.add(signals, handler: self, token: Token.signal)
      )
    } catch {
      loop.remove(key)
      throw error
    }
    takeKeys()
  }

  /// Restores the terminal.
  func close() {
    if let registrations {
      loop.remove(registrations.key)
      loop.remove(registrations.signal)
    }
    registrations = nil
    giveBack()
  }

  /// Starts to read keys if this program is in the foreground, and stops if it is not.
  ///
  /// - Returns: Whether it is in the foreground.
  @discardableResult
  func takeKeys() -> Bool {
    let isInFront = self.isInFront
    guard isInFront != hasKeys, let registrations else { return isInFront }
    hasKeys = isInFront
    if isInFront {
      parser = KeyParser()
      setUp()
    }
    // Keys for another program must not wake this one again and again, but a new key may mean that
    // this program is in the foreground again.
    try? loop.change(registrations.key, to: isInFront ? .readable : .readableEdge)
    return isInFront
  }

  func handle(_ readiness: Readiness, token: Int) {
    guard token == Token.signal else { return readKeys() }
    while let signal = signals.next() {
      switch signal {
      case SIGTSTP: isStopWanted = true
      case SIGCONT: goOn()
      case SIGWINCH: onChange?()
      default: break
      }
    }
  }

  private func readKeys() {
    guard takeKeys() else { return }
    var storage = InlineArray<16, UInt8>(repeating: 0)
    var space = storage.mutableSpan
    // A read does not block while the terminal is readable.
    guard case .bytes(let count) = (try? descriptor.read(into: &space)) ?? .end else {
      // The terminal is gone, or another program has come to the foreground.
      if isInFront, let registrations { loop.remove(registrations.key) }
      return
    }
    for index in 0..<count {
      if let key = parser.key(storage[index]) {
        onKey(key)
      } else if let arrow = parser.arrow {
        onArrow?(arrow)
      }
    }
  }

  // MARK: Foreground and background

  private var isInFront: Bool { tcgetpgrp(descriptor.rawValue) == getpgrp() }

  /// Stops the program; returns when it continues.
  func stop() {
    isStopWanted = false
    giveBack()
    // Stops by the signal itself: the kernel ignores it if no shell could continue the program.
    SignalMask.with(SIGTSTP, isBlocked: false) { _ = raise(SIGTSTP) }
    goOn()
  }

  private func goOn() {
    let hadKeys = hasKeys
    // The program that was in the foreground meanwhile changed the terminal.
    if takeKeys(), hadKeys { setUp() }
    onChange?()
  }

  // MARK: The terminal

  /// Delivers each key at once, without an echo.
  private func setUp() {
    var raw = termios()
    if let settings {
      raw = settings
    } else {
      guard unsafe tcgetattr(descriptor.rawValue, &raw) == 0 else { return }
      settings = raw
    }
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    set(raw)
  }

  private func giveBack() {
    // In the background the terminal belongs to another program.
    guard let settings, isInFront else { return }
    set(settings)
    self.settings = nil
  }

  private func set(_ settings: termios) {
    var settings = settings
    // If another program comes to the foreground at this moment, SIGTTOU must not stop this one.
    SignalMask.with(SIGTTOU, isBlocked: true) {
      unsafe tcsetattr(descriptor.rawValue, TCSANOW, &settings)
    }
  }
}

/// Separates keys that are characters from other keys, which a terminal sends as sequences that
/// begin with Escape: the right arrow is ESC [ C, not the key C. ECMA-48, 5.4.
///
/// A sequence may span several reads.
struct KeyParser {
  private enum State {
    case text
    /// After Escape.
    case escape
    /// Within a sequence. `isBegin`: only ESC [ or ESC O has come.
    case sequence(isBegin: Bool)
  }

  private var state = State.text
  /// The last byte of an arrow's sequence, if the last byte ended one: A up, B down, C right, D left.
  private(set) var arrow: UInt8?

  /// Takes the next byte. Returns the key's character, if the byte is one.
  mutating func key(_ byte: UInt8) -> Unicode.Scalar? {
    arrow = nil
    switch (state, byte) {
    case (_, 0x1B):
      state = .escape
    case (.text, _):
      return Unicode.Scalar(byte)
    case (.escape, UInt8(ascii: "[")), (.escape, UInt8(ascii: "O")):
      state = .sequence(isBegin: true)
    case (.escape, _):
      // A key with Alt.
      state = .text
    case (.sequence(isBegin: true), UInt8(ascii: "[")):
      // The function keys of Linux's own console: ESC [ [ A.
      state = .sequence(isBegin: false)
    case (.sequence(let isBegin), 0x40...0x7E):
      if isBegin, (0x41...0x44).contains(byte) { arrow = byte }
      state = .text
    case (.sequence, _):
      state = .sequence(isBegin: false)
    }
    return nil
  }
}
