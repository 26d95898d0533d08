import BallControl
import Glibc
import LinuxRadio
import struct LinuxRadio.SystemError
import NIOCore
import NIOPosix
import Synchronization

/// What a page has a program for.
enum PageTask: String {
  /// To ask the ball: `eightball ask --stay`.
  case ask
  /// To list devices, and to use one: `eightball scan` and `eightball gatt`.
  case explore
}

/// A program that works for a page, such as its central. It takes lines, and prints objects of JSON
/// for the page, until it ends by itself or the page closes or ends it. Used only on the loop's
/// thread.
final class PageChild: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// How long the program may take to disconnect.
  private static let timeout = TimeAmount.seconds(5)

  /// What it is for.
  let task: PageTask
  /// Describes its packets.
  var layers = PacketLayers(ofBall: false)
  private let child: Children.Child
  private let children: Children
  private let loop: any NIOCore.EventLoop
  private let onLine: (PageChild, [UInt8]) -> Void
  private let onEnd: (PageChild) -> Void
  /// The pipes of the process; `nil` until they are open.
  private var channel: (any Channel)?
  /// The lines that wait for the pipes.
  private var unsent = ByteBuffer()
  private var lines = LineBuffer()
  private var hasEnded = false

  /// Starts the process.
  ///
  /// - Parameters:
  ///   - onLine: Takes each line of its output that is an object.
  ///   - onEnd: Called once, when it has ended.
  init(
    _ command: [String], for task: PageTask, of children: Children,
    loop: any NIOCore.EventLoop, onLine: @escaping (PageChild, [UInt8]) -> Void,
    onEnd: @escaping (PageChild) -> Void
  ) throws(SystemError) {
    child = try children.start(command)
    self.task = task
    self.children = children
    self.loop = loop
    self.onLine = onLine
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
      channel.writeAndFlush(unsent, promise: nil)
    case .failure:
      for descriptor in [child.input, child.output] { close(descriptor) }
      end()
      conclude()
    }
  }

  /// Gives the program a line; `false` if it does not read them.
  func send(_ line: String) -> Bool {
    let line = line + "\n"
    guard let channel else {
      unsent.writeString(line)
      return true
    }
    guard channel.isWritable else { return false }
    channel.writeAndFlush(ByteBuffer(string: line), promise: nil)
    return true
  }

  /// Disconnects, and ends.
  func end() {
    guard !hasEnded else { return }
    children.send(SIGTERM, to: child.process)
    let (children, process) = (children, child.process)
    loop.scheduleTask(in: Self.timeout) { children.send(SIGKILL, to: process) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    lines.append(Array(unwrapInboundIn(data).readableBytesView).span)
    while !lines.isTooLong {
      guard let line = lines.next() else { return }
      if ControlLine(line) != nil { onLine(self, line) }
    }
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { conclude() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  /// The process has closed its output: it ends.
  private func conclude() {
    guard !hasEnded else { return }
    hasEnded = true
    onEnd(self)
  }
}

/// The processes of pages, from their start to their end.
final class Children: Sendable {
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
