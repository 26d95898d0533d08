import NIOCore

/// Limits the length of a request's head, and reports a longer one before the parser stores it:
/// RFC 9112, 3, and RFC 6585, 5.
///
/// A connection carries one request, so the limits count from its first byte.
final class HeadLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// The longest request line, in bytes, with its end.
  static let requestLine = 2_048
  /// The longest head: the request line, the header fields and the empty line.
  static let head = 8_192

  private enum State {
    case requestLine
    case fields
    case body
    case refused
  }

  private var state = State.requestLine
  private var count = 0
  /// The length of the current line, without its end.
  private var lineLength = 0

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    for byte in bytes.readableBytesView {
      if state == .body || state == .refused { break }
      take(byte)
    }
    guard state != .refused else {
      let fault = lineLength < 0 ? RequestFault.uriTooLong : .headTooLong
      context.fireErrorCaught(fault)
      return
    }
    context.fireChannelRead(data)
  }

  private func take(_ byte: UInt8) {
    count += 1
    if byte == UInt8(ascii: "\n") {
      state = state == .fields && lineLength == 0 ? .body : .fields
      lineLength = 0
    } else if byte != UInt8(ascii: "\r") {
      lineLength += 1
    }
    if state == .requestLine, count >= Self.requestLine {
      state = .refused
      lineLength = -1
    } else if count > Self.head {
      state = .refused
    }
  }
}

/// What is wrong with a request before its head is complete.
enum RequestFault: Error {
  case uriTooLong
  case headTooLong

  /// The reply to the client.
  var reply: Reply {
    switch self {
    case .uriTooLong: .refusal(.uriTooLong, "The address is too long.")
    case .headTooLong: .refusal(.requestHeaderFieldsTooLarge, "The header fields are too long.")
    }
  }
}
