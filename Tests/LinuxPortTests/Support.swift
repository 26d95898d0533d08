import BluetoothHost
import EightBall
import Expectations
import Glibc
import LinuxRadio
import LinuxTestSupport

@testable import Linux
@testable import LinuxPort
@testable import eightballd

/// The text that `write` writes.
func text(_ write: (inout ByteWriter) -> Void) -> String { String(writing: write) }

/// A text that lasts as long as the tests.
func lasting(_ text: String) -> ProgramText { ProgramText(lasting: text) }

/// The arguments of a program after its name.
func arguments(_ texts: [String]) -> ArgumentList { unsafe ArgumentList(argumentVector(texts)) }

/// What eightballd finds wrong with a command line, and with the board that it chooses; empty if nothing is.
func complaint(about list: [String], choosesBoard: Bool = true) -> String {
  do {
    let options = try Options(arguments(list))
    if choosesBoard { _ = try BoardChoice(options, model: BoardText()) }
    return ""
  } catch let error as OptionError {
    return text { error.write(to: &$0) }
  } catch let error as BoardChoiceError {
    return text { error.write(to: &$0) }
  } catch {
    return "\(error)"
  }
}

extension ProgramText {
  /// The text as Swift has it.
  var string: String {
    let bytes = span
    return text { $0.writePrefix(of: bytes) }
  }
}

/// An empty queue.
func makeQueue() throws -> PollQueue {
  switch PollQueue() {
  case nil: throw SystemError(.current, "create", "a queue")
  case let queue?: return queue
  }
}

/// The queue's events, without waiting.
func wakes(_ queue: borrowing PollQueue) -> [PollToken] {
  var tokens: [PollToken] = []
  _ = queue.wait(0) { token, _ in tokens.append(token) }
  return tokens
}

/// The first end of a pseudoterminal, with the path of its second end as its name.
func openTerminal() throws -> FileDescriptor {
  let primary = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
  try #require(primary >= 0)
  // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2).
  var lock: CInt = 0
  try #require(unsafe ioctl(primary, 0x4004_5431, &lock) == 0)
  var number: CInt = 0
  try #require(unsafe ioctl(primary, 0x8004_5430, &number) == 0)
  return FileDescriptor(owning: primary, name: "/dev/pts/\(number)")
}
