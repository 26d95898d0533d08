#if Tools
import Glibc
import LinuxSystem

/// The keys that are pressed on a terminal, each when it is pressed and without an echo, while this
/// program is the one in front.
///
/// In the background it leaves the terminal to whoever is in front, and neither reads nor changes
/// it. Control-Z stops the program with the terminal as it was.
final class Keyboard: EventHandler {
  /// Called before the program is stopped.
  var onStop: (() -> Void)?
  /// Called when it has gone on, in front or not.
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
  /// How the terminal was before it was changed; `nil` if it has not been.
  private var settings: termios?
  /// Whether keys are read.
  private var hasKeys = false

  /// Takes the keys of standard input; `nil` unless it and standard output are a terminal.
  init?(loop: EventLoop, onKey: @escaping (Unicode.Scalar) -> Void) throws(SystemError) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return nil }
    self.loop = loop
    self.onKey = onKey
    descriptor = FileDescriptor(owning: dup(STDIN_FILENO), name: "the keyboard")
    // A read in the background fails, as SIGTTIN does not stop the program when it is blocked.
    signals = try SignalQueue([SIGTSTP, SIGCONT, SIGTTIN], name: "SIGTSTP and SIGCONT")
    let key = try loop.add(descriptor, for: .news, handler: self, token: Token.key)
    do throws(SystemError) {
      registrations = (
        key,
        try loop.add(signals.descriptor, for: .readable, handler: self, token: Token.signal)
      )
    } catch {
      loop.remove(key)
      throw error
    }
    takeKeys()
  }

  /// Gives the terminal back as it was.
  func close() {
    if let registrations {
      loop.remove(registrations.key)
      loop.remove(registrations.signal)
    }
    registrations = nil
    giveBack()
  }

  /// Takes the keys if this program is in front, and leaves them to others if it is not.
  ///
  /// - Returns: Whether it is in front.
  @discardableResult
  func takeKeys() -> Bool {
    let isInFront = self.isInFront
    guard isInFront != hasKeys, let registrations else { return isInFront }
    hasKeys = isInFront
    if isInFront {
      parser = KeyParser()
      setUp()
    }
    // What somebody else is typing is no reason to wake again and again; but a new key may be the
    // first one that is ours again.
    try? loop.change(registrations.key, to: isInFront ? .readable : .news)
    return isInFront
  }

  func handle(_ readiness: Readiness, token: Int) {
    guard token == Token.signal else { return readKeys() }
    while let signal = signals.next() {
      switch signal {
      case SIGTSTP: stop()
      case SIGCONT: goOn()
      default: break
      }
    }
  }

  private func readKeys() {
    guard takeKeys() else { return }
    var storage = InlineArray<16, UInt8>(repeating: 0)
    var space = storage.mutableSpan
    // It blocks, but not while it is readable.
    guard case .bytes(let count) = (try? descriptor.read(into: &space)) ?? .end else {
      // Either the terminal has gone, or another program has come to the front since.
      if isInFront, let registrations { loop.remove(registrations.key) }
      return
    }
    for index in 0..<count {
      if let key = parser.key(storage[index]) { onKey(key) }
    }
  }

  // MARK: In front and behind

  private var isInFront: Bool { tcgetpgrp(descriptor.rawValue) == getpgrp() }

  private func stop() {
    onStop?()
    giveBack()
    // As if nobody had taken the signal: the kernel knows when nobody could continue the program.
    SignalMask.with(SIGTSTP, isBlocked: false) { _ = raise(SIGTSTP) }
    goOn()
  }

  private func goOn() {
    let hadKeys = hasKeys
    // Whoever was in front meanwhile has changed the terminal.
    if takeKeys(), hadKeys { setUp() }
    onContinue?()
  }

  // MARK: The terminal

  /// Each key at once, and no echo.
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
    // A terminal that others have is as they want it.
    guard let settings, isInFront else { return }
    set(settings)
    self.settings = nil
  }

  private func set(_ settings: termios) {
    var settings = settings
    // If another program comes to the front at this moment, this one is not to stop.
    SignalMask.with(SIGTTOU, isBlocked: true) {
      unsafe tcsetattr(descriptor.rawValue, TCSANOW, &settings)
    }
  }
}
#endif
