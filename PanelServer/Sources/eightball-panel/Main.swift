import BallControl
import Glibc
import LinuxRadio
import NIOCore
import NIOPosix

/// The server of `eightball panel`, and, as `eightball-panel metrics`, of metrics.
@main
enum Main {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    do {
      if arguments.first == "metrics" {
        try serve(try MetricsOptions(arguments.dropFirst()))
      } else {
        try serve(try PanelOptions(arguments))
      }
    } catch let error as PanelOptionError {
      fail("\(error)", status: EX_USAGE)
    } catch {
      fail("\(error).", status: EX_UNAVAILABLE)
    }
    // Its sockets close with it, and the ball releases the buttons that they held.
    exit(EXIT_SUCCESS)
  }

  // MARK: The panel

  private static func serve(_ options: PanelOptions) throws {
    let children = Children()
    let main = try MainThread(children: children, endsWithInput: false)
    let secret = Secret()
    let (service, loop) = listen(options, secret: secret, balls: main.balls, children: children)
    let balls = main.balls
    let pages = PageClients(options.control, loop: main.loop) { events in
      loop.execute {
        service.value.take(events)
        balls.ask(.taken(PageClients.byteCounts(of: events)))
      }
    }
    let none = FiguresCollector([], loop: main.loop, note: { _ in }, deliver: { _ in })
    try main.run(pages, none)
    children.endAll()
  }

  /// Starts listening, and prints the address.
  private static func listen(
    _ options: PanelOptions, secret: Secret, balls: Balls, children: Children
  ) -> (service: NIOLoopBound<PanelService>, loop: any NIOCore.EventLoop) {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    do {
      let (service, port) = try loop.flatSubmit {
        let service = NIOLoopBound(
          PanelService(options, balls: balls, children: children), eventLoop: loop)
        return HTTPServer.bootstrap(service.value, on: loop, group: group)
          .bind(host: options.listen ?? PanelOptions.loopback, port: options.port)
          .map { channel in
            // This runs on the loop, so before the first connection is accepted.
            let port = channel.localAddress?.port ?? options.port
            service.value.listens(on: port, secret: secret)
            return (service, port)
          }
      }.wait()
      guard Announcement(options: options, port: port, secret: secret).print() else {
        // Nobody knows the address.
        fail(
          "cannot write to standard output: \(ErrorNumber(rawValue: errno).description).",
          status: EX_IOERR)
      }
      return (service, loop)
    } catch {
      let host = HostNames.bracketed(options.listen ?? PanelOptions.loopback)
      fail(
        "The panel cannot listen on \(host):\(options.port): \(reason(for: error))",
        status: EX_UNAVAILABLE)
    }
  }

  /// Why it cannot listen, and what to do.
  private static func reason(for error: any Error) -> String {
    switch error {
    case let error as IOError where error.errnoCode == EADDRINUSE:
      "the port is in use. Give another one with --port, or 0 for a free one."
    case let error as IOError: "\(ErrorNumber(rawValue: error.errnoCode).description)."
    case is SocketAddressError.UnknownHost: "there is no such host."
    default: "\(error)."
    }
  }

  // MARK: Metrics

  private static func serve(_ options: MetricsOptions) throws {
    let main = try MainThread(children: Children(), endsWithInput: options.endsWithInput)
    let balls = main.balls
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let service = try loop.flatSubmit {
      let service = NIOLoopBound(
        MetricsService(MetricsGate(listen: options.listen), balls: balls), eventLoop: loop)
      return HTTPServer.bootstrap(service.value, on: loop, group: group)
        .withBoundSocket(MetricsOptions.socket).map { _ in service }
    }.wait()
    let figures = FiguresCollector(options.balls, loop: main.loop) { text in
      // The ball that has started the server reports its own errors.
      if !options.endsWithInput { printLine(text, to: STDERR_FILENO) }
    } deliver: { reply in
      loop.execute { service.value.answer(reply) }
    }
    try main.run(PageClients([], loop: main.loop) { _ in }, figures)
  }

  private static func fail(_ words: String, status: CInt) -> Never {
    printLine("Error: \(words)", to: STDERR_FILENO)
    exit(status)
  }
}

/// Prints a line on stdout or stderr: whether it was written.
@discardableResult
func printLine(_ line: String, to descriptor: CInt) -> Bool {
  let bytes = Array((line + "\n").utf8)
  return unsafe write(descriptor, bytes, bytes.count) == bytes.count
}
