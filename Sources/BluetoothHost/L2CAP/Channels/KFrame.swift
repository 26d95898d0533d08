/// The header of an outgoing K-frame: an L2CAP frame with a part of an SDU.
///
/// Core Specification, Vol 3, Part A, 3.4.
struct KFrame {
  /// The size of the SDU length field in an SDU's first K-frame: 3.4.2.
  static var sduLengthLength: Int { 2 }

  /// The longest payload to send, even if the peer's MPS is longer: a K-frame blocks its link until
  /// it is sent. At 1 Mbit/s, 2,048 bytes take about 20 ms of airtime.
  static var longestPayload: Int { 2048 }

  /// The channel's CID at the peer.
  var cid: L2CAPChannel
  /// The length of the payload in bytes, with the SDU length field.
  var payloadLength: Int
  /// The length of the SDU, in its first K-frame.
  var sduLength: Int?

  /// How many bytes precede those of the SDU.
  var headerLength: Int {
    L2CAPFrame.headerLength &+ (sduLength == nil ? 0 : Self.sduLengthLength)
  }

  /// Writes the L2CAP header, and the length of the SDU if it is the first K-frame.
  func writeHeader(to writer: inout ByteWriter) {
    writer.write(UInt16(truncatingIfNeeded: payloadLength))
    writer.write(cid.rawValue)
    if let sduLength { writer.write(UInt16(truncatingIfNeeded: sduLength)) }
  }
}

extension ByteWriter {
  /// Writes `length` bytes with `body`, and zeros where it writes fewer. The caller has checked
  /// that they fit.
  ///
  /// - Returns: Whether `body` wrote exactly `length` bytes.
  @_lifetime(self: copy self)
  mutating func fill(_ length: Int, _ body: (inout ByteWriter) -> Void) -> Bool {
    var part = makeWriter(after: 0, limit: length)
    body(&part)
    let isFull = part.count == length && !part.hasOverflowed
    while part.freeCapacity > 0 { part.write(UInt8(0)) }
    let count = part.count
    guard reserve(count) else { return false }
    written &+= count
    return isFull
  }
}
