import BallRunner
import BluetoothHost

/// What a swarm answers at its control socket: the figures of its balls together, which is all that
/// it sends.
enum SwarmReply {
  /// The line that replies to a request, with its end.
  ///
  /// - Parameters:
  ///   - request: The request, without its end.
  ///   - figures: The sum of the figures, and how many balls they are of.
  static func line(
    to request: [UInt8], with figures: @autoclosure () -> (sum: BallFigures, balls: Int)
  ) -> [UInt8] {
    request.elementsEqual("figures".utf8) ? line(of: figures()) : refusal(of: request)
  }

  /// The event `figures` of a ball, with the number of balls.
  private static func line(of figures: (sum: BallFigures, balls: Int)) -> [UInt8] {
    // 35 numbers of at most 19 digits, and their names.
    let object = text(2_048) { $0.writeJSON(figures.sum) }
    return text(object.count + 32) {
      SwarmLines.write(object.span, of: figures.balls, named: "balls", to: &$0)
      $0.write(UInt8(ascii: "\n"))
    }
  }

  private static func refusal(of request: [UInt8]) -> [UInt8] {
    // The longest escape of a byte has 6 bytes.
    text(128 + 6 * request.count) {
      $0.write(text: #"{"event":"error","request":""#)
      $0.write(escaped: request.span)
      $0.write(text: #"","detail":"The only request to a swarm is figures."}"#)
      $0.write(UInt8(ascii: "\n"))
    }
  }

  private static func text(_ size: Int, _ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var storage = [UInt8](repeating: 0, count: size)
    var writer = ByteWriter(storage.mutableSpan)
    write(&writer)
    let count = writer.count
    return Array(storage.prefix(count))
  }
}
