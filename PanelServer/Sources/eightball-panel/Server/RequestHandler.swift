import NIOCore
import NIOHTTP1

/// One connection: takes one request, and sends one reply or the stream of events.
final class RequestHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    case head
    case body(Passage, ByteBuffer)
    /// The request is complete, and its reply is pending.
    case working
    case streaming
    case replied
  }

  private let service: any HTTPService
  private var state = State.head
  /// Whether the request is HEAD, whose reply has no content: RFC 9110, 9.3.2.
  private var isHead = false
  private var deadline: Scheduled<Void>?
  private var stream: PageStream?

  init(_ service: any HTTPService) { self.service = service }

  func channelActive(context: ChannelHandlerContext) {
    let late = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    deadline = context.eventLoop.scheduleTask(in: HTTPLimits.requestTimeout) {
      let (handler, context) = late.value
      handler.reply(.error(.requestTimeout, "The request took too long."), on: context)
    }
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    stream?.end()
    service.connectionEnded(context.channel)
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (unwrapInboundIn(data), state) {
    case (.head(let head), .head):
      judge(head, on: context)
    case (.body(let part), .body(let passage, var body)):
      guard body.readableBytes + part.readableBytes <= Gate.longestBody else {
        return reply(.tooLong, on: context)
      }
      body.writeImmutableBuffer(part)
      state = .body(passage, body)
    case (.end, .body(let passage, let body)):
      deadline?.cancel()
      state = .working
      let late = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      service.serve(passage, body.readableBytesView) { answer in
        let (handler, context) = late.value
        handler.reply(answer, on: context)
      }
    default: break  // Ignores bytes after a request that has its reply.
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed = event {
      switch state {
      case .working, .replied: break  // The client may still read.
      default: context.close(promise: nil)
      }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case let error as RequestError: reply(error.reply, on: context)
    // More header fields than the parser takes.
    case HTTPParserError.headerOverflow: reply(RequestError.headTooLong.reply, on: context)
    case is HTTPParserError:
      reply(RequestError.malformed.reply, on: context)
    default: context.close(promise: nil)
    }
  }

  private func judge(_ head: HTTPRequestHead, on context: ChannelHandlerContext) {
    isHead = head.method == .HEAD
    switch service.judge(head) {
    case .failure(let error): reply(error.reply, on: context)
    case .success(.events) where head.version != .http1_1:
      // The stream has no length, and HTTP/1.0 has no chunks: RFC 9112, 6.1.
      reply(.error(.httpVersionNotSupported, "Use HTTP/1.1."), on: context)
    case .success(.events):
      deadline?.cancel()
      listen(on: context)
    case .success(let passage):
      state = .body(passage, ByteBuffer())
    }
  }

  private func listen(on context: ChannelHandlerContext) {
    guard let stream = service.openStream(on: context.channel) else {
      return reply(
        .error(.serviceUnavailable, "Too many pages are open.", headers: [("Retry-After", "5")]),
        on: context)
    }
    state = .streaming
    self.stream = stream
    let head = Reply(
      status: .ok, headers: [("Content-Type", "text/event-stream")], body: []
    ).head
    context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    stream.start()
  }

  /// Replies, unless there was a reply, and ends the connection when the client has read it.
  private func reply(_ reply: Reply, on context: ChannelHandlerContext) {
    switch state {
    case .streaming, .replied: return
    default: state = .replied
    }
    deadline?.cancel()
    var head = reply.head
    head.headers.add(name: "Content-Length", value: "\(reply.body.count)")
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if !isHead {
      let body = context.channel.allocator.buffer(bytes: reply.body)
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    }
    let channel = context.channel
    let limits = service.limits
    let own = NIOLoopBound(self, eventLoop: context.eventLoop)
    deadline = context.eventLoop.scheduleTask(in: limits.replyTimeout) {
      channel.close(promise: nil)
    }
    // Reads and drops what the client still sends: closing at once could discard the reply.
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      channel.close(mode: .output, promise: nil)
      own.value.deadline?.cancel()
      own.value.deadline = channel.eventLoop.scheduleTask(in: limits.closeTimeout) {
        channel.close(promise: nil)
      }
    }
  }
}
