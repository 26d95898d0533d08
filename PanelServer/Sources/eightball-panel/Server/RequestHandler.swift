import NIOCore
import NIOHTTP1

/// One connection: takes one request, and sends one reply or the stream of events.
final class RequestHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// How long a request may take to arrive.
  static let timeout = TimeAmount.seconds(5)
  /// How long a client may take to read the reply.
  static let replyTimeout = TimeAmount.seconds(15)

  private enum State {
    case head
    case body(Gate.Passage, ByteBuffer)
    /// The request is complete, and its reply is pending.
    case working
    case streaming
    case replied
  }

  private let panel: PanelState
  private var state = State.head
  /// Whether the request is HEAD, whose reply has no content: RFC 9110, 9.3.2.
  private var isHead = false
  private var deadline: Scheduled<Void>?
  private var stream: PageStream?

  init(panel: PanelState) { self.panel = panel }

  func channelActive(context: ChannelHandlerContext) {
    let late = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    deadline = context.eventLoop.scheduleTask(in: Self.timeout) {
      let (handler, context) = late.value
      handler.reply(.refusal(.requestTimeout, "The request took too long."), on: context)
    }
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    stream?.end()
    panel.connectionEnded()
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
      serve(passage, body, on: context)
    default: break  // Ignores bytes after a request that has its reply.
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case let fault as RequestFault: reply(fault.reply, on: context)
    // More header fields than the parser takes.
    case HTTPParserError.headerOverflow: reply(RequestFault.headTooLong.reply, on: context)
    case is HTTPParserError:
      reply(.refusal(.badRequest, "This is not an HTTP request."), on: context)
    default: context.close(promise: nil)
    }
  }

  private func judge(_ head: HTTPRequestHead, on context: ChannelHandlerContext) {
    guard let gate = panel.gate else { return context.close(promise: nil) }
    isHead = head.method == .HEAD
    switch gate.judge(head) {
    case .failure(let refusal): reply(refusal.reply, on: context)
    case .success(.events) where head.version != .http1_1:
      // The stream has no length, and HTTP/1.0 has no chunks: RFC 9112, 6.1.
      reply(.refusal(.httpVersionNotSupported, "Use HTTP/1.1."), on: context)
    case .success(.events):
      deadline?.cancel()
      listen(on: context)
    case .success(let passage):
      state = .body(passage, ByteBuffer())
    }
  }

  private func serve(_ passage: Gate.Passage, _ body: ByteBuffer, on context: ChannelHandlerContext)
  {
    switch passage {
    case .page: replyPage(on: context)
    case .entrance(let cookie): replyPage([("Set-Cookie", cookie)], on: context)
    case .press: reply(panel.press(body.readableBytesView), on: context)
    case .leave: reply(panel.leave(body.readableBytesView), on: context)
    case .ask:
      let late = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      panel.ask(body.readableBytesView) { answer in
        let (handler, context) = late.value
        handler.reply(answer, on: context)
      }
    case .events: break
    }
  }

  private func replyPage(_ headers: [(String, String)] = [], on context: ChannelHandlerContext) {
    let headers = [("Content-Type", "text/html; charset=utf-8")] + headers
    reply(Reply(status: .ok, headers: headers, body: panel.page.bytes), on: context)
  }

  private func listen(on context: ChannelHandlerContext) {
    guard let stream = panel.openStream(on: context.channel) else {
      return reply(
        .refusal(.serviceUnavailable, "Too many pages are open.", headers: [("Retry-After", "5")]),
        on: context)
    }
    state = .streaming
    self.stream = stream
    var head = responseHead(.ok)
    head.headers.add(name: "Content-Type", value: "text/event-stream")
    context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    stream.start()
  }

  private func responseHead(_ status: HTTPResponseStatus) -> HTTPResponseHead {
    HTTPResponseHead(version: .http1_1, status: status, headers: HTTPHeaders(panel.page.headers))
  }

  /// Replies, unless there was a reply, and ends the connection when the client has read it.
  private func reply(_ reply: Reply, on context: ChannelHandlerContext) {
    switch state {
    case .streaming, .replied: return
    default: state = .replied
    }
    deadline?.cancel()
    var head = responseHead(reply.status)
    for (name, value) in reply.headers { head.headers.add(name: name, value: value) }
    head.headers.add(name: "Content-Length", value: "\(reply.body.count)")
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if !isHead {
      let body = context.channel.allocator.buffer(bytes: reply.body)
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    }
    let channel = context.channel
    // Reads and drops what the client still sends: closing at once could discard the reply.
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      channel.close(mode: .output, promise: nil)
    }
    deadline = context.eventLoop.scheduleTask(in: Self.replyTimeout) { channel.close(promise: nil) }
  }
}
