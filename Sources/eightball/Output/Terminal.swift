import Glibc
import LinuxRadio
import Synchronization

/// The output of a command that runs no ball: results to stdout, progress to stderr.
enum Terminal {
  private static let missingOutput = Atomic(false)
  private static let lostOutput = Atomic(false)

  /// Whether the shell has closed standard output (`>&-`).
  static var isOutputMissing: Bool { missingOutput.load(ordering: .relaxed) }

  /// Whether a result could not be written.
  static var hasLostOutput: Bool { lostOutput.load(ordering: .relaxed) }

  /// Keeps the numbers of closed standard streams in use: a radio with the number 1 would receive
  /// the results.
  static func reserveStandardStreams() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", number == STDIN_FILENO ? O_RDONLY : O_WRONLY)
      if number == STDOUT_FILENO { missingOutput.store(true, ordering: .relaxed) }
    }
  }

  /// Prints a result. If that fails, says why, and the program ends with `ExitStatus.output`.
  static func print(_ line: String) {
    guard !hasLostOutput else { return }
    guard !isOutputMissing else { return lose(EBADF) }
    if !write(line, to: STDOUT_FILENO) { lose(errno) }
  }

  /// Standard output has failed. If its reader has closed it, the program ends as if by SIGTERM.
  static func lose(_ code: CInt) {
    guard !lostOutput.exchange(true, ordering: .relaxed) else { return }
    guard code != EPIPE else {
      kill(getpid(), SIGTERM)
      return
    }
    note("Error: cannot write to standard output: \(ErrorNumber(rawValue: code).description).")
  }

  /// Ends the program.
  static func exit(_ status: ExitStatus) -> Never { Glibc.exit(status.rawValue) }

  /// Prints progress or an error.
  static func note(_ line: String) {
    _ = write(line, to: STDERR_FILENO)
  }

  /// Whether standard output is a terminal that obeys escape sequences.
  static var takesEscapes: Bool {
    let kind = CurrentProcess.environment("TERM") ?? ""
    return isatty(STDOUT_FILENO) == 1 && !kind.isEmpty && kind != "dumb"
  }

  /// Writes a whole line; `false`, with `errno` set, if that fails.
  private static func write(_ line: String, to descriptor: CInt) -> Bool {
    let bytes = Array((line + "\n").utf8)
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { bytes in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
        return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
      }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        waitUntilWritable(descriptor)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  private static func waitUntilWritable(_ descriptor: CInt) {
    var descriptors = pollfd(fd: descriptor, events: CShort(POLLOUT), revents: 0)
    _ = unsafe poll(&descriptors, 1, -1)
  }
}

/// Queues lines for standard output while their reader is slow. The program does not block, so
/// signals still end it.
final class LineOutput {
  /// How many bytes wait before lines are dropped.
  private static let capacity = 65_536

  private let output: NonblockingOutput
  private var pending: [UInt8] = []
  private let describeLoss: ((Int) -> String)?
  private var losses = 0

  /// Standard output.
  ///
  /// - Parameter describeLoss: Makes the line about as many lines that were dropped, since their
  ///   reader was too slow; without it no line is dropped.
  init(loop: EventLoop, describeLoss: ((Int) -> String)? = nil) throws(SystemError) {
    output = try NonblockingOutput(1, name: "standard output", loop: loop)
    self.describeLoss = describeLoss
  }

  /// Whether every line has been written.
  var isEmpty: Bool { pending.isEmpty }

  /// Queues a line, given without its line feed.
  func print(_ line: String) {
    if let describeLoss {
      guard pending.count < Self.capacity else {
        losses += 1
        return
      }
      if losses > 0 { add(describeLoss(losses)) }
      losses = 0
    }
    add(line)
  }

  private func add(_ line: String) {
    pending += line.utf8
    pending.append(UInt8(ascii: "\n"))
  }

  /// Writes what the output takes now; `false` if its reader has closed it, or it fails.
  func flush() -> Bool {
    guard !pending.isEmpty else { return true }
    guard !Terminal.isOutputMissing else {
      pending.removeAll()
      Terminal.lose(EBADF)
      return false
    }
    switch output.write(pending.span) {
    case .taken(let count):
      pending.removeFirst(count)
      guard let failure = output.failure else { return true }
      Terminal.lose(failure.code.rawValue)
      return false
    case .closed:
      pending.removeAll()
      return false
    }
  }
}

/// Prints how many packets are missing in a capture, if any.
///
/// - Parameter note: Prints a line to standard error.
func warn(ofErrorsOf sinks: [any PacketSink], note: (String) -> Void = Terminal.note) {
  for case let capture as Capture in sinks {
    guard let failure = capture.failure else { continue }
    let count = capture.losses == 1 ? "1 packet is" : "\(capture.losses) packets are"
    note("Warning: \(count) missing in the capture: \(sentence(failure.description))")
  }
}

/// Runs `body`. If it fails, prints why and throws the exit status.
///
/// - Parameter complain: Prints the error, with a word for programs for its kind.
func reportingErrors(
  with complain: (_ text: String, _ reason: String) -> Void, _ body: () throws -> Void
) throws {
  do {
    try body()
  } catch let error as RadioError {
    complain(sentence(error.description), "radio")
    throw ExitStatus.unavailable
  } catch let error as MetricsError {
    complain(sentence(error.description), "metrics")
    throw ExitStatus.unavailable
  } catch let error as SystemError {
    complain(sentence(error.description), "system")
    throw ExitStatus.unexpected
  } catch let error as BoardError {
    complain(sentence(printable(error.description)), "board")
    throw ExitStatus.board
  }
}
