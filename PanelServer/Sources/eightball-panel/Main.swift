import Glibc
import NIOCore
import NIOPosix

import struct LinuxSystem.Errno

/// The server of `eightball panel`.
@main
enum Main {
  static func main() {
    let options: PanelOptions
    do throws(PanelOptions.Fault) {
      options = try PanelOptions(CommandLine.arguments.dropFirst())
    } catch {
      fail("\(error)", status: EX_USAGE)
    }
    // Before any thread starts: threads inherit the mask.
    let signals = EndingSignals()
    let children = AskChildren()
    let secret = Secret()
    do {
      let port = try serve(options, secret: secret, children: children)
      Announcement(options: options, port: port, secret: secret).print()
    } catch {
      let host = HostNames.bracketed(options.listen ?? PanelOptions.loopback)
      fail(
        "The panel cannot listen on \(host):\(options.port): \(reason(for: error))",
        status: EX_UNAVAILABLE)
    }
    signals.wait()
    children.endAll()
    // Its sockets close with it, and the ball releases the buttons that they held.
    exit(EXIT_SUCCESS)
  }

  /// Starts listening. Returns the port.
  private static func serve(
    _ options: PanelOptions, secret: Secret, children: AskChildren
  ) throws -> Int {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let threads = NIOThreadPool(numberOfThreads: Asker.mostAtOnce)
    threads.start()
    let loop = group.next()
    return try loop.flatSubmit {
      let asker = Asker(threads: threads, loop: loop, children: children)
      let panel = NIOLoopBound(
        PanelState(options: options, secret: secret, asker: asker), eventLoop: loop)
      return HTTPServer.bind(panel, group: group)
    }.wait()
  }

  /// Why it cannot listen, and what to do.
  private static func reason(for error: any Error) -> String {
    switch error {
    case let error as IOError where error.errnoCode == EADDRINUSE:
      "the port is in use. Give another one with --port, or 0 for a free one."
    case let error as IOError: "\(Errno(rawValue: error.errnoCode).description)."
    case is SocketAddressError.UnknownHost: "there is no such host."
    default: "\(error)."
    }
  }

  private static func fail(_ words: String, status: CInt) -> Never {
    printLine("Error: \(words)", to: STDERR_FILENO)
    exit(status)
  }
}
