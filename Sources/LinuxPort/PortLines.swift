import BallRunner
import BluetoothHost
import CGPIOD
import EightBall
import Linux

/// The lines of a board on a GPIO chip, through libgpiod. The chip may come and go.
@safe
struct PortLines: ~Copyable {
  let board: BoardDescription
  /// The change of the lines since it was last taken.
  private(set) var change = LinesChange.none

  private let directory: StaticString
  private var lines: OpaquePointer?
  private var hasBeenOpen = false
  private var mayHaveEdges = false
  /// Whether the motion sensor's line has become active since `takeMotionEdge`.
  private var hasMotionEdge = false
  private var failure = cgpiod_error()
  /// Whether `failure` comes from a call on open lines.
  private var isOfOpenLines = false
  /// The buttons that programs hold down.
  private var held = HeldButtons()

  /// The lines of `board`, which may be missing, on the chips of a directory. A board without lines, which has a
  /// display alone, always has all of them.
  init(_ board: BoardDescription, directory: StaticString) {
    self.board = board
    self.directory = directory
  }

  deinit {
    if let lines = unsafe lines { unsafe cgpiod_close(lines) }
  }

  /// The queue reports the lines as ready.
  mutating func handle(_ readiness: Readiness) {
    mayHaveEdges = true
    if readiness.isHangUp { change = .hungUp }
  }

  /// A chip was added, removed or changed.
  mutating func chipsChanged() {
    if change == .none { change = .chipChanged }
  }

  mutating func takeChange() -> LinesChange {
    let taken = change
    change = .none
    return taken
  }

  /// Requests the lines: all, or none.
  mutating func open(_ queue: borrowing PollQueue) -> Bool {
    guard board.hasLines else { return true }
    close(queue)
    var failure = cgpiod_error()
    var names = InlineArray<5, InlineCString<32>>(repeating: InlineCString())
    var count = 0
    while let part = part(at: count) {
      names[count] = InlineCString(board[part]?.name)
      count += 1
    }
    let label = InlineCString<32>(board.chip)
    var settings = unsafe InlineArray<5, cgpiod_line>(repeating: cgpiod_line())
    let opened = unsafe names.span.withUnsafeBufferPointer { names in
      for index in 0..<count {
        guard let part = part(at: index), let line = board[part], let base = names.baseAddress
        else { continue }
        // The text is at the front of its struct.
        let name = unsafe UnsafeRawPointer(base + index).assumingMemoryBound(to: CChar.self)
        unsafe settings[index] = line.settings(isOutput: part.isLight, name: name)
      }
      return unsafe settings.span.withUnsafeBufferPointer { settings in
        unsafe label.withPointer {
          unsafe cgpiod_open(
            directory.cText, $0, LineUser.name.cText, settings.baseAddress, count, &failure)
        }
      }
    }
    self.failure = failure
    isOfOpenLines = false
    guard let opened = unsafe opened else { return false }
    unsafe lines = opened
    hasBeenOpen = true
    mayHaveEdges = true
    change = .none
    // Its edge may have been before the request.
    if let index = index(of: .motion) { hasMotionEdge = unsafe cgpiod_value(opened, index) > 0 }
    // If it fails there are lights and no buttons: only a kernel without memory refuses.
    queue.add(unsafe cgpiod_descriptor(opened), .lines, for: .readable)
    return true
  }

  /// Releases the lines.
  mutating func close(_ queue: borrowing PollQueue) {
    guard let open = unsafe lines else { return }
    unsafe queue.remove(cgpiod_descriptor(open))
    unsafe cgpiod_close(open)
    unsafe lines = nil
    mayHaveEdges = false
    held = HeldButtons()
  }

  /// Whether edges wake the loop.
  func listen(_ isListening: Bool, _ queue: borrowing PollQueue) {
    guard let lines = unsafe lines else { return }
    queue.change(
      unsafe cgpiod_descriptor(lines), .lines, to: isListening ? .readable : .none)
  }

  mutating func nextEdge() -> EdgeRead {
    guard let lines = unsafe lines else { return board.hasLines ? .lost : .none }
    if let button = held.nextChange() {
      return .edge(
        ButtonEdge(
          button: button, isClosed: held[button],
          time: MonotonicClock.now))
    }
    guard mayHaveEdges else { return .none }
    var edge = cgpiod_edge()
    while true {
      let result = unsafe cgpiod_next_edge(lines, &edge)
      guard result >= 0 else { return lose(.lost) }
      guard result > 0 else {
        mayHaveEdges = false
        return .none
      }
      guard let part = part(at: Int(truncatingIfNeeded: edge.line)) else { continue }
      guard part.isButton else {
        // Lights have no edges.
        if edge.is_active != 0 { hasMotionEdge = true }
        continue
      }
      let button: ButtonName = part == .shake ? .shake : .clear
      if held[button] { continue }
      return .edge(
        ButtonEdge(
          button: button, isClosed: edge.is_active != 0,
          time: Instant(rawValue: edge.time / 1_000_000)))
    }
  }

  /// Whether the motion sensor's line has become active since the last call, or was active when it was
  /// requested. `nextEdge` reads the edges.
  mutating func takeMotionEdge() -> Bool {
    defer { hasMotionEdge = false }
    return hasMotionEdge
  }

  /// Lets a program press `button` as if its contact closed, or let it go.
  mutating func press(_ button: ButtonName, isDown: Bool) -> PressResult {
    held.press(button, isDown: isDown, wired: wiredContact(of: button))
  }

  /// How long the contacts of a button may bounce, in milliseconds.
  func debounce(of button: ButtonName) -> UInt32 {
    let line = button == .shake ? board.shake : board.clear
    return UInt32(truncatingIfNeeded: line?.debounceMilliseconds ?? 0)
  }

  mutating func contact(of button: ButtonName) -> ContactRead {
    let contact = wiredContact(of: button)
    return contact == .open && held[button] ? .closed : contact
  }

  private mutating func wiredContact(of button: ButtonName) -> ContactRead {
    guard let lines = unsafe lines else { return board.hasLines ? .lost : .none }
    guard let index = index(of: button == .shake ? .shake : .clear) else { return .none }
    let value = unsafe cgpiod_value(lines, index)
    guard value >= 0 else { return lose(.lost) }
    return value > 0 ? .closed : .open
  }

  /// Turns a light on or off; `false` if the lines have gone.
  mutating func set(_ light: LightName, isLit: Bool) -> Bool {
    guard let lines = unsafe lines else { return !board.hasLines }
    guard let index = index(of: light == .status ? .status : .answer) else { return true }
    if unsafe cgpiod_set_value(lines, index, isLit ? 1 : 0) == 0 { return true }
    return lose(false)
  }

  /// Whether the open lines still work.
  mutating func check() -> Bool {
    guard let lines = unsafe lines else { return !board.hasLines }
    // Any line will do: the question is whether the chip is still there.
    return unsafe cgpiod_value(lines, 0) >= 0 || lose(false)
  }

  // MARK: Support

  /// The part whose line has this index in the request; `nil` above the last.
  private func part(at offset: Int) -> BoardPart? {
    let parts = BoardPart.all
    var count = 0
    for index in parts.indices where board.hasLine(of: parts[index]) {
      if count == offset { return parts[index] }
      count += 1
    }
    return nil
  }

  private func index(of part: BoardPart) -> Int32? {
    var offset = 0
    while let other = self.part(at: offset) {
      if other == part { return Int32(truncatingIfNeeded: offset) }
      offset += 1
    }
    return nil
  }

  /// Notes the errno of the last call on open lines.
  private mutating func lose<Result>(_ result: Result) -> Result {
    failure = cgpiod_error()
    failure.code = ErrorNumber.current.rawValue
    failure.line = -1
    isOfOpenLines = true
    return result
  }

  // MARK: Texts

  /// What is wrong.
  private var error: LineAccessError {
    let code = ErrorNumber(rawValue: failure.code)
    if code.rawValue == 0 { return .vanished }
    if isOfOpenLines { return code == .noSuchDevice ? .vanished : .other }
    return LineAccessError(failure, wasThere: hasBeenOpen, hasGroup: group != 0)
  }

  /// The group that may open the chip; 0 if there is none.
  private var group: UInt32 {
    unsafe withUnsafeBytes(of: failure.chip) { bytes in
      unsafe clinux_group(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
    }
  }

  /// Writes why the lines cannot be used, and what to do.
  func writeError(to writer: inout ByteWriter) {
    let error = self.error
    error.reason.write(to: &writer) { write(field: $0, to: &$1) }
    guard let remedy = error.remedy else { return }
    writer.write(text: ". ")
    remedy.write(to: &writer) { write(field: $0, to: &$1) }
  }

  @inline(never)
  private func write(field: UInt8, to writer: inout ByteWriter) {
    switch field {
    case UInt8(ascii: "c"):
      if let chip = board.chip { writer.write(start: chip.span) }
    case UInt8(ascii: "p"):
      if failure.chip.0 == 0 { return writer.write(text: "the GPIO chip") }
      unsafe withUnsafeBytes(of: failure.chip) { unsafe writer.writeZeroEnded($0) }
    case UInt8(ascii: "l"): writeLine(to: &writer)
    case UInt8(ascii: "u"): writeUser(to: &writer)
    case UInt8(ascii: "g"): GroupFile.writeName(of: group, to: &writer)
    case UInt8(ascii: "f"):
      guard let words = unsafe clinux_words(failure.code) else { return }
      writer.write(start: unsafe ProgramText(c: words).span)
    default: break
    }
  }

  private func writeLine(to writer: inout ByteWriter) {
    guard let part = part(at: Int(truncatingIfNeeded: failure.line)), let line = board[part] else {
      return writer.write(text: "a line")
    }
    writer.write(text: "line ")
    writer.write(start: line.name.span)
  }

  private func writeUser(to writer: inout ByteWriter) {
    let first = UInt8(bitPattern: failure.user.0)
    let isUnknown = first == 0 || first == UInt8(ascii: "?") && failure.user.1 == 0
    if isUnknown { return writer.write(text: "another program") }
    writer.write(text: "“")
    unsafe withUnsafeBytes(of: failure.user) { unsafe writer.writeZeroEnded($0) }
    writer.write(text: "”")
  }
}

/// The user of our lines.
package enum LineUser {
  /// The name that the kernel shows.
  package static var name: StaticString { "eightball" }
}

extension LineAccessError {
  /// Why lines cannot be opened.
  ///
  /// - Parameters:
  ///   - wasThere: Whether the chip was there before, so that the board is the right one.
  ///   - hasGroup: Whether a group may open the chip.
  package init(_ failure: cgpiod_error, wasThere: Bool, hasGroup: Bool) {
    let step = UInt32(truncatingIfNeeded: failure.step)
    switch ErrorNumber(rawValue: failure.code) {
    case _ where step == CGPIOD_STEP_FIND_CHIP.rawValue: self = wasThere ? .vanished : .noChip
    case .accessDenied, .notPermitted: self = hasGroup ? .notInGroup : .noPermission
    case _ where step == CGPIOD_STEP_FIND_LINE.rawValue: self = .noLine
    case .busy: self = .busy
    case .noSuchDevice: self = .vanished
    default: self = .other
    }
  }
}

extension LineDescription {
  /// The line for libgpiod; `name` is its own.
  @unsafe
  package func settings(isOutput: Bool, name: UnsafePointer<CChar>?) -> cgpiod_line {
    let bias =
      switch self.bias {
      case .none: CGPIOD_BIAS_NONE
      case .pullUp: CGPIOD_BIAS_PULL_UP
      case .pullDown: CGPIOD_BIAS_PULL_DOWN
      }
    return unsafe cgpiod_line(
      name: name, offset: Int32(truncatingIfNeeded: offset), is_output: isOutput ? 1 : 0,
      is_active_low: activeLow ? 1 : 0, bias: Int32(truncatingIfNeeded: bias.rawValue))
  }
}

/// The buttons that programs hold down.
struct HeldButtons {
  private var shake = false
  private var clear = false
  /// How they were when the last change was taken.
  private var lastShake = false
  private var lastClear = false

  /// Whether a program holds it down.
  subscript(button: ButtonName) -> Bool { button == .shake ? shake : clear }

  /// A program presses the button, or lets it go, while its contact is `wired`.
  mutating func press(_ button: ButtonName, isDown: Bool, wired: ContactRead) -> PressResult {
    switch wired {
    case .none: return .noButton
    case .lost: return .noLines
    case .closed where isDown: return .isDown
    case .closed:
      // A person holds the button by now: it stays down.
      release(button)
    case .open: set(button, isDown)
    }
    return .done
  }

  /// A program presses it, or lets it go.
  mutating func set(_ button: ButtonName, _ isDown: Bool) {
    if button == .shake { shake = isDown } else { clear = isDown }
  }

  /// A program releases the button, which stays down, because a person holds it.
  mutating func release(_ button: ButtonName) {
    if button == .shake {
      (shake, lastShake) = (false, false)
    } else {
      (clear, lastClear) = (false, false)
    }
  }

  /// Takes a button that has gone down or up; `nil` if none has. One that goes down and up at once does not
  /// count: it would be a bounce.
  mutating func nextChange() -> ButtonName? {
    if shake != lastShake {
      lastShake = shake
      return .shake
    }
    guard clear != lastClear else { return nil }
    lastClear = clear
    return .clear
  }
}

extension ByteWriter {
  /// Writes the bytes before the first zero.
  @unsafe
  @_lifetime(self: copy self)
  fileprivate mutating func writeZeroEnded(_ bytes: UnsafeRawBufferPointer) {
    for index in bytes.indices {
      guard unsafe bytes[index] != 0, freeCapacity > 0 else { return }
      unsafe write(bytes[index])
    }
  }
}

extension InlineCString {
  /// `text`; empty if it is `nil` or too long.
  @inline(never)
  fileprivate init<let length: Int>(_ text: BoardText<length>?) {
    self.init()
    if let text { _ = assign(text.span) }
  }
}
