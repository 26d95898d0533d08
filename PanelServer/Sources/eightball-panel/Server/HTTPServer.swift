import NIOCore
import NIOHTTP1
import NIOPosix

/// The panel's listening socket.
enum HTTPServer {
  /// The most connections at once; further ones are closed at once.
  static let mostConnections = 64
  /// The most unread bytes of a page; a page with more is dropped.
  static let longestBacklog = 1 << 20

  /// Listens, and serves `panel` on its loop, the only one of `group`. Returns the port.
  static func bind(
    _ panel: NIOLoopBound<PanelState>, group: MultiThreadedEventLoopGroup
  ) -> EventLoopFuture<Int> {
    let options = panel.value.options
    return ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 64)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
      .childChannelOption(
        .writeBufferWaterMark,
        value: .init(low: longestBacklog / 2, high: longestBacklog)
      )
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          guard panel.value.connectionBegins() else { throw ChannelError.eof }
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(HeadLimit())
          try pipeline.addHandler(HTTPResponseEncoder())
          try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
          try pipeline.addHandler(RequestHandler(panel: panel.value))
        }
      }
      .bind(host: options.listen ?? PanelOptions.loopback, port: options.port)
      .map { channel in
        // This runs on the loop, so before the first connection is accepted.
        let port = channel.localAddress?.port ?? options.port
        panel.value.listens(on: port)
        return port
      }
  }
}
