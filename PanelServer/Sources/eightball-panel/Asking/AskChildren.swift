import Glibc
import LinuxSystem
import Synchronization

/// The processes of `eightball ask`, from their start to their end.
final class AskChildren: Sendable {
  /// A child process, and this side's ends of its input and output.
  struct Child: Sendable {
    let process: pid_t
    let input: CInt
    let output: CInt
  }

  /// Those that have not been reaped: their numbers are not used again.
  private let running = Mutex<Set<pid_t>>([])

  /// Starts a program.
  func start(_ arguments: [String]) throws(SystemError) -> Child {
    let nowhere = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(nowhere) }
    let input = try ChildProcess.pipe()
    defer { close(input.reader) }
    do throws(SystemError) {
      let output = try ChildProcess.pipe()
      defer { close(output.writer) }
      do throws(SystemError) {
        let process = try start(
          arguments, descriptors: [input.reader, output.writer, nowhere])
        return Child(process: process, input: input.writer, output: output.reader)
      } catch {
        close(output.reader)
        throw error
      }
    } catch {
      close(input.writer)
      throw error
    }
  }

  /// Under the lock, so that endAll() and reap() know every child.
  private func start(_ arguments: [String], descriptors: [CInt]) throws(SystemError) -> pid_t {
    try running.withLock { (running) throws(SystemError) in
      let process = try ChildProcess.start(arguments, descriptors: descriptors)
      running.insert(process)
      return process
    }
  }

  /// Sends a signal, unless the child has ended.
  func send(_ signal: CInt, to process: pid_t) {
    running.withLock { if $0.contains(process) { kill(process, signal) } }
  }

  /// Ends all children, when the panel ends.
  func endAll() {
    running.withLock { for child in $0 { kill(child, SIGTERM) } }
  }

  /// Forgets the children that have ended. Does not block.
  func reap() {
    running.withLock { running in
      for child in running where waitpid(child, nil, WNOHANG) == child {
        running.remove(child)
      }
    }
  }
}
