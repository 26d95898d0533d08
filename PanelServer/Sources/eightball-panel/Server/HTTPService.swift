import NIOCore
import NIOHTTP1

/// What answers the requests of an HTTP server. Used only on the loop's thread.
protocol HTTPService: AnyObject {
  /// The limits of each connection.
  var limits: HTTPLimits { get }

  /// Counts a new connection; `false` if there are too many.
  func connectionBegins(_ channel: any Channel) -> Bool

  /// A counted connection has ended.
  func connectionEnded(_ channel: any Channel)

  /// What a request gets, by its head, or the reply that refuses it.
  func judge(_ head: HTTPRequestHead) -> Result<Passage, Refusal>

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
  /// A question.
  case ask
  /// The end of the page's central.
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
