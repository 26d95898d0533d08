import Glibc
import NIOCore
import NIOPosix

import class BallControl.ControlClient
import enum BallControl.ControlError
import enum BallControl.ControlPath
import class BallControl.PacketLayers
import struct LinuxSystem.Errno
import struct LinuxSystem.SystemError

/// A connection to the control socket of a ball.
final class BallConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The longest line that a ball may send, in bytes.
  static let longestLine = 1 << 16

  private let stream: PageStream
  private let channel: any Channel
  private let layers = PacketLayers()
  private var ending = PageStream.noBall
  /// Whether the ball has sent a line.
  private var hasLine = false

  private init(stream: PageStream, channel: any Channel) {
    self.stream = stream
    self.channel = channel
  }

  /// Connects to the ball at the first of these paths that has one. Fails with a text for the page.
  static func open(
    _ paths: [String], for stream: PageStream, on loop: any EventLoop
  ) -> EventLoopFuture<NIOLoopBound<BallConnection>> {
    do throws(Obstacle) {
      let socket = try connect(paths)
      let stream = NIOLoopBound(stream, eventLoop: loop)
      return ClientBootstrap(group: loop)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let connection = BallConnection(stream: stream.value, channel: channel)
            let lines = ByteToMessageHandler(LineDecoder(), maximumBufferSize: longestLine)
            try channel.pipeline.syncOperations.addHandlers(lines, connection)
          }
        }
        .withConnectedSocket(socket)
        .flatMapThrowing { channel in
          NIOLoopBound(
            try channel.pipeline.syncOperations.handler(type: BallConnection.self), eventLoop: loop)
        }
    } catch {
      return loop.makeFailedFuture(error)
    }
  }

  /// Connects, if the socket is trusted. Returns the number of a socket, which the caller closes.
  private static func connect(_ paths: [String]) throws(Obstacle) -> CInt {
    do throws(ControlError) {
      let connected = try ControlPath.connect(paths)
      let copy = fcntl(connected.rawValue, F_DUPFD_CLOEXEC, 0)
      guard copy >= 0 else {
        throw .unusable(SystemError(Errno(rawValue: errno), "use", connected.name))
      }
      return copy
    } catch {
      if case .noBall = error { throw Obstacle(description: PageStream.noBall) }
      throw Obstacle(description: "The panel cannot reach the ball: \(error).")
    }
  }

  /// Why there is no connection, as a text for the page.
  private struct Obstacle: Error, CustomStringConvertible {
    let description: String
  }

  /// Sends a request line.
  func send(_ request: String) {
    channel.writeAndFlush(ByteBuffer(string: request + "\n"), promise: nil)
  }

  /// Ends the connection, which releases a button that it holds.
  func close() { channel.close(promise: nil) }

  private static let packet = Array("{\"event\":\"packet\"".utf8)

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let line = unwrapInboundIn(data)
    if !hasLine, ControlClient.isRefusal(Array(line.readableBytesView)) {
      ending = "\(ControlError.full)."
      return context.close(promise: nil)
    }
    hasLine = true
    // eightballd leaves the layers out.
    guard line.readableBytesView.starts(with: Self.packet) else { return stream.take(line) }
    stream.take(ByteBuffer(bytes: layers.addingLayers(to: Array(line.readableBytesView))))
  }

  func channelReadComplete(context: ChannelHandlerContext) { stream.flush() }

  func channelInactive(context: ChannelHandlerContext) { stream.lost(ending) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is ByteToMessageDecoderError.PayloadTooLargeError {
      ending = "The ball sent a line of more than \(Self.longestLine) bytes."
    }
    context.close(promise: nil)
  }
}
