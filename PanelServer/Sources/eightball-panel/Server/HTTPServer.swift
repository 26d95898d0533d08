import BallRunner
import NIOCore
import NIOHTTP1
import NIOPosix

/// A listening socket of HTTP.
enum HTTPServer {
  /// The most unread bytes of a page; a page with more is dropped.
  static let longestBacklog = 1 << 20
  /// How many bytes the kernel keeps for a client that does not read, which it doubles: otherwise it might
  /// keep megabytes for each.
  private static let sendBuffer: SocketOptionValue = 1 << 16

  /// What accepts the connections of `service` on its loop, the only one of `group`.
  static func bootstrap(
    _ service: any HTTPService, on loop: any EventLoop, group: MultiThreadedEventLoopGroup
  ) -> ServerBootstrap {
    let service = NIOLoopBound(service, eventLoop: loop)
    return ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 64)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
      .childChannelOption(.socketOption(.so_sndbuf), value: sendBuffer)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(
        .writeBufferWaterMark,
        value: .init(low: longestBacklog / 2, high: longestBacklog)
      )
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          guard service.value.connectionBegins(channel) else { throw ChannelError.eof }
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(HeadLimit(service.value.limits))
          try pipeline.addHandler(HTTPResponseEncoder())
          try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
          try pipeline.addHandler(RequestHandler(service.value))
        }
      }
  }
}

/// What answers the requests of an HTTP server. Used only on the loop's thread.
protocol HTTPService: AnyObject {
  /// The limits of each connection.
  var limits: HTTPLimits { get }

  /// Counts a new connection; `false` if there are too many.
  func connectionBegins(_ channel: any Channel) -> Bool

  /// A counted connection has ended.
  func connectionEnded(_ channel: any Channel)

  /// What a request gets, by its head, or the reply that refuses it.
  func judge(_ head: HTTPRequestHead) -> Result<Passage, GateError>

  /// Serves a whole request that was not refused.
  func serve(
    _ passage: Passage, _ body: ByteBufferView, reply: @escaping @Sendable (Reply) -> Void)

  /// A new page with its own connection to the ball; `nil` if there are too many.
  func openStream(on channel: any Channel) -> PageStream?
}

extension HTTPService {
  /// `nil`.
  func openStream(on channel: any Channel) -> PageStream? { nil }
}

/// What an allowed request gets.
enum Passage {
  /// The page itself.
  case page
  /// The page, and this cookie.
  case entrance(String)
  /// The stream of events.
  case events
  /// A press or release of a button.
  case press
  /// A shake of the ball in the hand.
  case shake
  /// A question.
  case ask
  /// The devices nearby, or a connection to one.
  case explore
  /// A line for the page's connection.
  case command
  /// The end of one of the page's centrals.
  case leave
  /// The figures.
  case metrics
}

/// The limits of a connection.
struct HTTPLimits {
  /// How long a request may take to arrive.
  static let requestTimeout = TimeAmount.seconds(5)

  /// The longest request line, in bytes, with its end.
  var requestLine: Int
  /// The longest head: the request line, the header fields and the empty line.
  var head: Int
  /// How long a client may take to read the reply.
  var replyTimeout: TimeAmount
  /// How long it may take to close the connection after that.
  var closeTimeout: TimeAmount
}

/// A response: its status, its own header fields and its body.
struct Reply: Sendable {
  /// The status.
  var status: HTTPResponseStatus
  /// Header fields in addition to those of each response.
  var headers: [(String, String)] = []
  /// The body.
  var body: [UInt8]
  /// What the body may load and run, as directives of its content security policy: nothing.
  var sources = ""

  /// The head of the response. No other page can read or frame it, and it runs and loads nothing
  /// but its sources.
  var head: HTTPResponseHead {
    let policy =
      "default-src 'none'; \(sources)base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    let fields = [
      ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Cross-Origin-Opener-Policy", "same-origin"), ("Cache-Control", "no-store"),
      ("Connection", "close"),
    ]
    return HTTPResponseHead(
      version: .http1_1, status: status, headers: HTTPHeaders(fields + headers))
  }

  /// An error with a text that reveals nothing about the ball or the panel's state.
  static func error(
    _ status: HTTPResponseStatus, _ words: String, headers: [(String, String)] = []
  ) -> Reply {
    Reply(
      status: status, headers: [("Content-Type", "text/plain; charset=utf-8")] + headers,
      body: Array((words + "\n").utf8))
  }

  /// A JSON text, for the page.
  static func json(_ status: HTTPResponseStatus, _ text: String) -> Reply {
    Reply(
      status: status, headers: [("Content-Type", "application/json")], body: Array(text.utf8))
  }

  /// A text for the page, as `{"detail": …}`.
  static func detail(_ status: HTTPResponseStatus, _ words: String) -> Reply {
    json(status, "{\"detail\":\"\(String(escaped: words))\"}")
  }
}
