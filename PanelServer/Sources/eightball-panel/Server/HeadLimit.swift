import NIOCore

/// Limits the length of a request's head, and reports a longer one before the parser stores it:
/// RFC 9112, 3, and RFC 6585, 5. It checks the parts of the request line, too, since the parser takes
/// several spaces between them.
///
/// A connection carries one request, so the limits count from its first byte.
final class HeadLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private enum State {
    case requestLine
    case fields
    case body
    case refused
  }

  private let limits: HTTPLimits
  private var state = State.requestLine
  private var count = 0
  /// The length of the current line, without its end.
  private var lineLength = 0
  /// The request line, without carriage returns.
  private var requestLine: [UInt8] = []
  private var error = RequestError.headTooLong

  init(_ limits: HTTPLimits) { self.limits = limits }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    for byte in bytes.readableBytesView {
      if state == .body || state == .refused { break }
      take(byte)
    }
    guard state != .refused else {
      context.fireErrorCaught(error)
      return
    }
    context.fireChannelRead(data)
  }

  private func take(_ byte: UInt8) {
    count += 1
    if byte == UInt8(ascii: "\n") {
      endLine()
    } else if byte != UInt8(ascii: "\r") {
      lineLength += 1
      if state == .requestLine { requestLine.append(byte) }
    }
    if state == .requestLine, count >= limits.requestLine {
      refuse(.uriTooLong)
    } else if count > limits.head {
      refuse(.headTooLong)
    }
  }

  private func endLine() {
    switch state {
    // An empty line before the request is skipped: RFC 9112, 2.2.
    case .requestLine where lineLength == 0: break
    case .requestLine:
      state = .fields
      let words = requestLine.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      if words.count != 3 || words.contains(where: { $0.isEmpty }) {
        refuse(.malformed)
      } else if words[2].starts(with: "HTTP/2.".utf8) || words[2].starts(with: "HTTP/3.".utf8) {
        refuse(.version)
      }
    case .fields: if lineLength == 0 { state = .body }
    case .body, .refused: break
    }
    lineLength = 0
  }

  private func refuse(_ error: RequestError) {
    guard state != .refused else { return }
    state = .refused
    self.error = error
  }
}

/// What is wrong with a request before its head is complete.
enum RequestError: Error {
  case malformed
  case version
  case uriTooLong
  case headTooLong

  /// The reply to the client.
  var reply: Reply {
    switch self {
    case .malformed: .error(.badRequest, "This is not an HTTP request.")
    case .version: .error(.httpVersionNotSupported, "Use HTTP/1.1.")
    case .uriTooLong: .error(.uriTooLong, "The address is too long.")
    case .headTooLong: .error(.requestHeaderFieldsTooLarge, "The header fields are too long.")
    }
  }
}
