import BallRunner
import BluetoothHost
import Boards
import CGPIOD
import EightBall
import Glibc
import LinuxSystem

/// A board's lines on a GPIO chip of this machine, through libgpiod.
@safe
public final class ChipLines: BoardLines {
  /// The consumer name that the kernel shows for our lines.
  static let consumer = "eightball"

  private let wanted: [WantedLine]
  private let label: String
  private let directory: String
  private var lines: OpaquePointer?
  private var hasBeenOpen = false

  /// The lines of `board`, which need not exist yet.
  ///
  /// - Parameter directory: The directory of the chips.
  public init(_ board: BoardDescription, directory: String = "/dev") {
    label = board.chip?.description ?? ""
    wanted = WantedLine.all(of: board)
    self.directory = directory
  }

  deinit { close() }

  /// Requests the lines: all, or none.
  public func open() throws(LineError) {
    close()
    var failure = cgpiod_failure()
    unsafe withSettings { settings in
      unsafe lines = cgpiod_open(
        directory, label, Self.consumer, settings.baseAddress, settings.count, &failure)
    }
    if unsafe lines == nil { throw error(failure) }
    hasBeenOpen = true
  }

  /// Finds the lines and their users, without requesting any line.
  public func survey() throws(LineError) -> ChipSurvey {
    var failure = cgpiod_failure()
    var states = [cgpiod_line_state](repeating: cgpiod_line_state(), count: wanted.count)
    let result = unsafe withSettings { settings in
      unsafe cgpiod_survey(
        directory, label, settings.baseAddress, settings.count, &states, &failure)
    }
    guard result == 0 else { throw error(failure) }
    let lines = zip(wanted, states).map { wanted, state in
      ChipSurvey.Line(
        part: "\(wanted.part)", name: "\(wanted.line.name)",
        offset: state.offset < 0 ? nil : Int(state.offset),
        user: unsafe withUnsafeBytes(of: state.user) { unsafe Self.text($0) })
    }
    let path = unsafe withUnsafeBytes(of: failure.chip) { unsafe Self.text($0) }
    return ChipSurvey(path: path ?? directory, lines: lines)
  }

  /// Calls `body` with the settings of each line. They and their names are valid during the call.
  private func withSettings<Result>(
    _ body: (UnsafeBufferPointer<cgpiod_line>) -> Result
  ) -> Result {
    let names = unsafe wanted.map { unsafe strdup($0.line.name.description) }
    defer { unsafe names.forEach { unsafe free($0) } }
    var settings = unsafe [cgpiod_line]()
    for (index, line) in wanted.enumerated() {
      unsafe settings.append(line.settings(name: names[index]))
    }
    return unsafe settings.withUnsafeBufferPointer { unsafe body($0) }
  }

  /// Releases the lines.
  public func close() {
    if let lines = unsafe lines { unsafe cgpiod_close(lines) }
    unsafe lines = nil
  }

  /// Readable while edges are pending; -1 unless the lines are open.
  public var descriptor: Int32 {
    guard let lines = unsafe lines else { return -1 }
    return unsafe cgpiod_descriptor(lines)
  }

  /// Takes the next edge of a button; `nil` if none is pending.
  public func nextEdge() throws(LineError) -> ButtonEdge? {
    guard let lines = unsafe lines else { throw vanished }
    var edge = cgpiod_edge()
    while true {
      let result = unsafe cgpiod_next_edge(lines, &edge)
      guard result >= 0 else { throw failed() }
      guard result > 0 else { return nil }
      guard wanted.indices.contains(Int(edge.line)),
        case .button(let button) = wanted[Int(edge.line)].purpose
      else { continue }
      return ButtonEdge(
        button: button, isClosed: edge.is_active != 0,
        time: Instant(rawValue: edge.time / 1_000_000))
    }
  }

  /// Whether a button is down now; `nil` if the board lacks it.
  public func isClosed(_ button: ButtonName) throws(LineError) -> Bool? {
    guard let lines = unsafe lines else { throw vanished }
    guard let index = wanted.firstIndex(where: { $0.purpose == .button(button) }) else {
      return nil
    }
    let result = unsafe cgpiod_value(lines, Int32(index))
    guard result >= 0 else { throw failed() }
    return result > 0
  }

  /// Turns a light on or off; does nothing if the board lacks it.
  public func set(_ light: LightName, isLit: Bool) throws(LineError) {
    guard let lines = unsafe lines else { throw vanished }
    guard let index = wanted.firstIndex(where: { $0.purpose == .light(light) }) else { return }
    guard unsafe cgpiod_set_value(lines, Int32(index), isLit ? 1 : 0) == 0 else { throw failed() }
  }

  /// Throws if the lines are no longer usable.
  public func check() throws(LineError) {
    guard let lines = unsafe lines else { throw vanished }
    // Reading any line shows whether the chip is still there.
    guard unsafe cgpiod_value(lines, 0) >= 0 else { throw failed() }
  }

  /// Reports when a chip of this machine is added or removed, or its permissions change; `nil` if
  /// the kernel does not allow another watch.
  public func watchChips(in loop: EventLoop) -> DirectoryWatch? {
    try? DirectoryWatch(directory, namesFrom: "gpiochip", loop: loop)
  }

  /// The error to report if the chip hangs up without one.
  public var vanished: LineError { LineError(.vanished, chip: label) }

  /// The error that the last call on open lines left in errno.
  private func failed() -> LineError {
    let code = Errno(rawValue: errno)
    return code == .noSuchDevice ? vanished : LineError(.other(code), chip: label)
  }

  private func error(_ failure: cgpiod_failure) -> LineError {
    let path = unsafe withUnsafeBytes(of: failure.chip) { unsafe Self.text($0) }
    let user = unsafe withUnsafeBytes(of: failure.user) { unsafe Self.text($0) }
    let code = Errno(rawValue: failure.code)
    let kind: LineError.Kind =
      switch (UInt32(failure.step), code) {
      // The chip was there before, so the board is right.
      case (CGPIOD_STEP_FIND_CHIP.rawValue, _): hasBeenOpen ? .vanished : .noChip
      case (_, .accessDenied), (_, .notPermitted): .noPermission
      case (CGPIOD_STEP_FIND_LINE.rawValue, _): .noLine
      case (_, .busy): .busy
      case (_, .noSuchDevice): .vanished
      default: .other(code)
      }
    let index = Int(failure.line)
    return LineError(
      kind, chip: label, path: path,
      line: wanted.indices.contains(index) ? wanted[index].line.name.description : nil, user: user,
      group: path.flatMap { Files.group(of: $0) })
  }

  /// The text up to its zero byte; `nil` if it is empty.
  private static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
    let text = unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }
}

/// A line of a board, and its purpose.
struct WantedLine {
  enum Purpose: Equatable {
    case button(ButtonName)
    case light(LightName)
  }

  var purpose: Purpose
  var line: LineDescription

  /// The lines that a board has.
  static func all(of board: BoardDescription) -> [WantedLine] {
    let buttons: [ButtonName] = [.shake, .clear]
    let lights: [LightName] = [.status, .answer]
    return buttons.compactMap { button in
      board.line(button).map { WantedLine(purpose: .button(button), line: $0) }
    }
      + lights.compactMap { light in
        board.line(light).map { WantedLine(purpose: .light(light), line: $0) }
      }
  }

  /// Its name in a board's fields.
  var part: BoardPart {
    switch purpose {
    case .button(.shake): .shake
    case .button(.clear): .clear
    case .light(.status): .status
    case .light(.answer): .answer
    }
  }

  var isOutput: Bool { if case .light = purpose { true } else { false } }

  fileprivate func settings(name: UnsafePointer<CChar>?) -> cgpiod_line {
    let bias =
      switch line.bias {
      case .none: CGPIOD_BIAS_NONE
      case .pullUp: CGPIOD_BIAS_PULL_UP
      case .pullDown: CGPIOD_BIAS_PULL_DOWN
      }
    return unsafe cgpiod_line(
      name: name, offset: Int32(clamping: line.offset), is_output: isOutput ? 1 : 0,
      is_active_low: line.activeLow ? 1 : 0, bias: Int32(bias.rawValue))
  }
}
