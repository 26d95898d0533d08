import BallControl
import Glibc
import LinuxRadio
import struct LinuxRadio.SystemError
import NIOCore
import NIOPosix
import Synchronization

/// The central of a page: the process of `eightball ask --stay`. It stays connected and subscribed,
/// so that it hears a shake, until the page closes or disconnects it. Used only on the loop's thread.
final class PageCentral: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// How long a question may take: longer than a central searches, connects and waits.
  private static let timeout = TimeAmount.seconds(30)

  private let child: AskChildren.Child
  private let children: AskChildren
  private let loop: any NIOCore.EventLoop
  private let onEnd: () -> Void
  /// The pipes of the process; `nil` until they are open.
  private var channel: (any Channel)?
  /// The question that waits for the pipes.
  private var unsent: ByteBuffer?
  /// Takes the reply to the question that is on its way; `nil` between questions.
  private var reply: ((Reply) -> Void)?
  private var deadline: Scheduled<Void>?
  private var lines = LineBuffer()
  private var hasEnded = false

  /// Starts the process. `onEnd` is called once, when it has ended.
  ///
  /// - Parameter command: Asks each line of its input.
  init(
    _ command: [String], of children: AskChildren, loop: any NIOCore.EventLoop,
    onEnd: @escaping () -> Void
  ) throws(SystemError) {
    child = try children.start(command)
    self.children = children
    self.loop = loop
    self.onEnd = onEnd
    open()
  }

  private func open() {
    let own = NIOLoopBound(self, eventLoop: loop)
    NIOPipeBootstrap(group: loop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(own.value)
        }
      }
      .takingOwnershipOfDescriptors(input: child.output, output: child.input)
      .whenComplete { own.value.opened($0) }
  }

  private func opened(_ result: Result<any Channel, any Error>) {
    switch result {
    case .success(let channel):
      self.channel = channel
      if let unsent { channel.writeAndFlush(unsent, promise: nil) }
      unsent = nil
    case .failure:
      for descriptor in [child.input, child.output] { close(descriptor) }
      children.send(SIGTERM, to: child.process)
      conclude()
    }
  }

  /// Asks. The reply is the line of `eightball ask --json` about this question.
  ///
  /// - Parameter question: One line.
  func ask(_ question: String, reply: @escaping (Reply) -> Void) {
    guard self.reply == nil else {
      return reply(.detail(.tooManyRequests, "This page's last question is still on its way."))
    }
    self.reply = reply
    let own = NIOLoopBound(self, eventLoop: loop)
    deadline = loop.scheduleTask(in: Self.timeout) {
      own.value.children.send(SIGKILL, to: own.value.child.process)
    }
    let line = ByteBuffer(string: question + "\n")
    if let channel { channel.writeAndFlush(line, promise: nil) } else { unsent = line }
  }

  /// Disconnects, and ends.
  func end() { if !hasEnded { children.send(SIGTERM, to: child.process) } }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    lines.append(Array(unwrapInboundIn(data).readableBytesView).span)
    while !lines.isTooLong {
      guard let line = lines.next() else { return }
      take(line)
    }
    context.close(promise: nil)
  }

  private func take(_ line: [UInt8]) {
    guard let object = ControlLine(line) else { return }
    switch object.event {
    // Without a question it is the answer to a shake, which the ball reports too.
    case "answer" where object.text("question") == nil: return
    case "answer", "refused", "failed":
      answer(.json(.ok, String(decoding: line, as: UTF8.self)))
    default: return
    }
  }

  func channelInactive(context: ChannelHandlerContext) { conclude() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func answer(_ text: Reply) {
    deadline?.cancel()
    deadline = nil
    let reply = self.reply
    self.reply = nil
    reply?(text)
  }

  /// The process has closed its output: it ends.
  private func conclude() {
    guard !hasEnded else { return }
    hasEnded = true
    answer(.detail(.badGateway, "eightball ask ended without an answer."))
    onEnd()
  }
}

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
