import BluetoothHost
import EightBall
import Glibc
import LinuxSystem

/// Lets this user's other programs press the buttons of a virtual board, and see its lights.
///
/// A socket takes one request a connection, a line of text, and answers it with one line:
///
///     press shake 100      → ok            (milliseconds)
///     lights               → status on answer off
///
/// or with `error` and what is wrong.
public final class BoardControl: EventHandler {
  /// Where the socket is: $EIGHTBALL_BOARD; or in the user's own directory for such things; or
  /// in /tmp.
  public static var usualPath: String {
    if let path = Process.environment("EIGHTBALL_BOARD") { return path }
    if let directory = Process.environment("XDG_RUNTIME_DIR") {
      return directory + "/eightball-board.sock"
    }
    return "/tmp/eightball-board-\(Process.userNumber).sock"
  }

  /// The longest that a button can be held, in milliseconds.
  public static let longestPress: UInt32 = 60_000

  private static let places = 8

  private let lines: VirtualLines
  private let loop: EventLoop
  private let clock: () -> Instant
  private let listener: StreamListener
  private var registration: EventLoop.Registration?
  private var clients: [Client?] = Array(repeating: nil, count: BoardControl.places)
  private var oldest = 0

  /// Listens at `path`, for this user alone.
  ///
  /// - Throws: `addressInUse` if another virtual board is there.
  public init(
    _ lines: VirtualLines, loop: EventLoop, path: String = BoardControl.usualPath,
    clock: @escaping () -> Instant = { MonotonicClock.now }
  ) throws(SystemError) {
    self.lines = lines
    self.loop = loop
    self.clock = clock
    listener = try StreamListener(path: path)
    registration = try loop.add(listener.descriptor, for: .readable, handler: self, token: -1)
  }

  /// Takes no more requests. The socket goes with the last reference.
  public func close() {
    if let registration { loop.remove(registration) }
    registration = nil
    for index in clients.indices { drop(index) }
  }

  /// Something has come for the descriptor of `token`.
  public func handle(_ readiness: Readiness, token: Int) {
    guard token >= 0 else { return accept() }
    guard clients.indices.contains(token), let client = clients[token] else { return }
    do throws(SystemError) {
      guard let request = try client.request() else { return }
      try client.reply(answer(to: request))
    } catch {
      // Whoever has gone wants no answer.
    }
    drop(token)
  }

  private func accept() {
    do throws(SystemError) {
      switch try listener.accept() {
      case nil: return
      case let connection?:
        // Whoever connects and says nothing makes room for the next.
        let index = clients.firstIndex { $0 == nil } ?? oldest
        drop(index)
        oldest = (index + 1) % Self.places
        let registration = try loop.add(
          connection, for: .readable, handler: self, token: index)
        clients[index] = Client(connection, registration)
      }
    } catch {
      // Nobody can be connected to for now; the ball goes on.
    }
  }

  private func drop(_ index: Int) {
    if let client = clients[index] { loop.remove(client.registration) }
    clients[index] = nil
  }

  /// What to answer to a request.
  func answer(to request: String) -> String {
    let words = request.split(separator: " ")
    switch words.first {
    case "lights" where words.count == 1:
      return "status \(word(lines.isLit(.status))) answer \(word(lines.isLit(.answer)))"
    case "press" where words.count == 3:
      let button: ButtonName
      switch words[1] {
      case "shake": button = .shake
      case "clear": button = .clear
      default: return "error there is no button \(words[1])"
      }
      guard let duration = UInt32(words[2]), duration > 0, duration <= Self.longestPress else {
        return "error a press takes 1 to \(Self.longestPress) milliseconds"
      }
      return switch lines.press(button, for: duration, at: clock()) {
      case .done: "ok"
      case .alreadyDown: "error the button \(words[1]) is held down"
      case .noButton: "error the board has no button \(words[1])"
      }
    default:
      return "error expected press BUTTON MILLISECONDS, or lights"
    }
  }

  private func word(_ isLit: Bool?) -> String {
    isLit.map { $0 ? "on" : "off" } ?? "none"
  }

  // MARK: The other side

  /// Asks the virtual board that listens at `path`.
  ///
  /// - Throws: `noSuchFile` or `connectionRefused` if none does; `timedOut` if it does not answer
  ///   within 2 s.
  public static func ask(
    _ request: String, path: String = BoardControl.usualPath
  ) throws(SystemError) -> String {
    let board = try StreamSocket.connect(path: path)
    let bytes = Array((request + "\n").utf8)
    guard try board.write(bytes.span) == bytes.count else {
      throw SystemError(.timedOut, "ask", path)
    }
    var wait = pollfd(fd: board.rawValue, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&wait, 1, 2_000) > 0 else { throw SystemError(.timedOut, "ask", path) }
    var storage = [UInt8](repeating: 0, count: 256)
    var space = storage.mutableSpan
    guard case .bytes(let count) = try board.read(into: &space) else {
      throw SystemError(.connectionReset, "ask", path)
    }
    let reply = storage.prefix(count).prefix { $0 != UInt8(ascii: "\n") }
    return String(decoding: reply, as: UTF8.self)
  }

  /// One connection.
  private final class Client {
    let registration: EventLoop.Registration
    private let descriptor: FileDescriptor
    private var bytes: [UInt8] = []

    init(_ descriptor: consuming FileDescriptor, _ registration: EventLoop.Registration) {
      self.descriptor = descriptor
      self.registration = registration
    }

    /// The request, once its line is whole; `nil` until then.
    func request() throws(SystemError) -> String? {
      var storage = [UInt8](repeating: 0, count: 64)
      var space = storage.mutableSpan
      switch try descriptor.read(into: &space) {
      case .nothingYet: return nil
      case .end: throw SystemError(.connectionReset, "read from", descriptor.name)
      case .bytes(let count): bytes.append(contentsOf: storage.prefix(count))
      }
      guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
        // No request is as long as this.
        return bytes.count > 128 ? "" : nil
      }
      return String(decoding: bytes.prefix(end), as: UTF8.self)
    }

    func reply(_ text: String) throws(SystemError) {
      let bytes = Array((text + "\n").utf8)
      _ = try descriptor.write(bytes.span)
    }
  }
}
