import NIOCore
import NIOHTTP1
import NIOPosix

/// A listening socket of HTTP.
enum HTTPServer {
  /// The most unread bytes of a page; a page with more is dropped.
  static let longestBacklog = 1 << 20

  /// What accepts the connections of `service` on its loop, the only one of `group`.
  static func bootstrap(
    _ service: any HTTPService, on loop: any EventLoop, group: MultiThreadedEventLoopGroup
  ) -> ServerBootstrap {
    let service = NIOLoopBound(service, eventLoop: loop)
    return ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 64)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
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
