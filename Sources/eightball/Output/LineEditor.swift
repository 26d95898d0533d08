import Glibc
import LinuxPort
import LinuxRadio

/// Edits lines at a terminal, with a history and completion, while a radio is served.
///
/// The line is shown only while it is wanted; what is typed meanwhile waits.
final class LineEditor {
  /// What stands before the line.
  private static let prompt = "> "
  /// How many lines the history keeps.
  private static let historyLimit = 200

  private enum Key {
    case byte(UInt8)
    /// The final byte of an arrow's sequence: A up, B down, C right, D left.
    case arrow(UInt8)
  }

  private var keyboard: Keyboard?
  private var keys: [Key] = []
  private var line: [UInt8] = []
  /// Where the next byte goes in the line.
  private var cursor = 0
  private var history: [[UInt8]] = []
  /// The line of the history that is shown; its count for a new one.
  private var place = 0
  private var isShown = false
  private var hasEnded = false

  /// Starts to read keys; `false` without a terminal.
  func open(in loop: EventLoop) throws(SystemError) -> Bool {
    keyboard = try Keyboard(loop: loop) { [weak self] key in
      self?.keys.append(.byte(UInt8(truncatingIfNeeded: key.value)))
    }
    keyboard?.onArrow = { [weak self] in self?.keys.append(.arrow($0)) }
    keyboard?.onChange = { [weak self] in self?.redraw() }
    return keyboard != nil
  }

  /// Restores the terminal.
  func close() {
    hide()
    keyboard?.close()
  }

  /// Whether `next` has something to do.
  var hasKeys: Bool { !keys.isEmpty }

  /// Whether a line is wanted. Stops the program after Control-Z.
  var isWanted: Bool {
    get { isShown }
    set {
      if let keyboard, keyboard.isStopWanted {
        hide()
        keyboard.stop()
      }
      if newValue, !isShown {
        isShown = true
        redraw()
      } else if !newValue {
        hide()
      }
    }
  }

  /// Prints a line above the one that is edited.
  func print(_ body: () -> Void) {
    guard isShown else { return body() }
    write("\r\u{1B}[K")
    body()
    redraw()
  }

  /// The next finished line, or the end of the input; `nil` if more keys must come.
  ///
  /// - Parameter completions: What may stand in place of the last word of a line.
  func next(_ completions: (String) -> [String]) -> InputLines.Line? {
    while !hasEnded, !keys.isEmpty {
      switch keys.removeFirst() {
      case .byte(UInt8(ascii: "\n")), .byte(UInt8(ascii: "\r")): return finish()
      // Control-D.
      case .byte(0x04):
        guard line.isEmpty else { continue }
        hasEnded = true
        hide()
        return InputLines.Line(bytes: nil)
      case .byte(UInt8(ascii: "\t")): complete(completions)
      // Backspace and Delete.
      case .byte(0x08), .byte(0x7F):
        guard cursor > 0 else { continue }
        let end = cursor
        moveLeft()
        line.removeSubrange(cursor..<end)
      // Control-A, Control-E and Control-U.
      case .byte(0x01): cursor = 0
      case .byte(0x05): cursor = line.count
      case .byte(0x15):
        line.removeSubrange(..<cursor)
        cursor = 0
      case .byte(let byte) where byte >= 0x20:
        guard line.count < InputLines.longest else { continue }
        line.insert(byte, at: cursor)
        cursor += 1
        // Redraws once for what is pasted.
        if !keys.isEmpty { continue }
      case .arrow(UInt8(ascii: "A")): show(place - 1)
      case .arrow(UInt8(ascii: "B")): show(place + 1)
      case .arrow(UInt8(ascii: "C")): moveRight()
      case .arrow(UInt8(ascii: "D")): moveLeft()
      default: continue
      }
      redraw()
    }
    return nil
  }

  private func finish() -> InputLines.Line {
    cursor = line.count
    redraw()
    write("\n")
    isShown = false
    defer {
      line = []
      cursor = 0
      place = history.count
    }
    if !line.isEmpty, line != history.last {
      if history.count == Self.historyLimit { history.removeFirst() }
      history.append(line)
    }
    return InputLines.Line(bytes: line)
  }

  // MARK: Editing

  private func show(_ number: Int) {
    guard (0...history.count).contains(number) else { return }
    place = number
    line = number < history.count ? history[number] : []
    cursor = line.count
  }

  /// Whether a byte continues a character of UTF-8.
  private func continues(_ index: Int) -> Bool { index < line.count && line[index] & 0xC0 == 0x80 }

  private func moveLeft() {
    repeat { cursor = max(0, cursor - 1) } while cursor > 0 && continues(cursor)
  }

  private func moveRight() {
    repeat { cursor = min(line.count, cursor + 1) } while continues(cursor)
  }

  /// Completes the last word as far as it is certain, or lists what it may become.
  private func complete(_ completions: (String) -> [String]) {
    let text = String(decoding: line[..<cursor], as: UTF8.self)
    let typed = text.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
    let offers = completions(text).filter { $0.hasPrefix(typed) }
    guard let first = offers.first else { return }
    let common = offers.dropFirst().reduce(first[...]) { common, offer in
      common.prefix(zip(common.utf8, offer.utf8).prefix { $0 == $1 }.count)
    }
    let rest = Array(common.utf8.dropFirst(typed.utf8.count)) + (offers.count == 1 ? [0x20] : [])
    line.insert(contentsOf: rest, at: cursor)
    cursor += rest.count
    if rest.isEmpty { print { Terminal.note(offers.joined(separator: "  ")) } }
  }

  // MARK: The terminal

  private func hide() {
    if isShown { write("\r\u{1B}[K") }
    isShown = false
  }

  private func redraw() {
    guard isShown, keyboard?.takeKeys() ?? false else { return }
    let back = line[cursor...].count { $0 & 0xC0 != 0x80 }
    write(
      "\r\u{1B}[K\(Self.prompt)\(printable(String(decoding: line, as: UTF8.self)))"
        + (back > 0 ? "\u{1B}[\(back)D" : ""))
  }

  private func write(_ text: String) {
    let bytes = Array(text.utf8)
    // A terminal that takes less shows less.
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}
