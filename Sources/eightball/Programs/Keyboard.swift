import Glibc
import LinuxSystem

/// Reads keys from a terminal, one at a time and without an echo, while this program is in the
/// foreground.
///
/// In the background it does not read or change the terminal. After Control-Z its owner calls
/// `stop`, which restores the terminal and stops the program.
final class Keyboard: EventHandler {
  /// Whether the user wants to stop the program.
  private(set) var isStopWanted = false
  /// Called when the program continues, in the foreground or not.
  var onContinue: (() -> Void)?

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
    signals = try SignalQueue([SIGTSTP, SIGCONT, SIGTTIN], name: "SIGTSTP and SIGCONT")
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
      if let key = parser.key(storage[index]) { onKey(key) }
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
    onContinue?()
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
