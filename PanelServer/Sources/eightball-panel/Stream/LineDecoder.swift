import NIOCore

/// Splits what a ball sends into lines, without their ends. Skips empty lines, and lines with a
/// carriage return, which would end an event.
struct LineDecoder: ByteToMessageDecoder {
  typealias InboundOut = ByteBuffer

  /// How many bytes at the front have no line feed.
  private var seen = 0

  mutating func decode(
    context: ChannelHandlerContext, buffer: inout ByteBuffer
  ) throws -> DecodingState {
    let view = buffer.readableBytesView
    guard let end = view.dropFirst(seen).firstIndex(of: UInt8(ascii: "\n")) else {
      seen = view.count
      return .needMoreData
    }
    seen = 0
    guard let line = buffer.readSlice(length: end - view.startIndex) else { return .needMoreData }
    buffer.moveReaderIndex(forwardBy: 1)
    if line.readableBytes > 0, !line.readableBytesView.contains(UInt8(ascii: "\r")) {
      context.fireChannelRead(wrapInboundOut(line))
    }
    return .continue
  }

  mutating func decodeLast(
    context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
  ) throws -> DecodingState {
    try decode(context: context, buffer: &buffer)
  }
}
