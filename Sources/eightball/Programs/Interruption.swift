import Dispatch
import Glibc
import LinuxSystem

/// Calls back when a person wants the program to end: SIGINT, SIGTERM or SIGHUP.
final class Interruption {
  private let sources: [any DispatchSourceSignal]

  init(_ body: @escaping @Sendable () -> Void) {
    sources = TerminationSignals.numbers.map { number in
      // Otherwise the signal ends the program before `body` runs.
      _ = signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler(handler: body)
      source.activate()
      return source
    }
  }

  func cancel() {
    for source in sources { source.cancel() }
  }
}
