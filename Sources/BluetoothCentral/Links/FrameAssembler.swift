import BluetoothHost

/// Puts the frames of one link together from the fragments that ACL packets carry.
///
/// Core Specification, Vol 3, Part A, 3.1 and 7.2. A continuation without a start is dropped, a
/// new start discards a frame that was not finished, and so does a fragment that goes beyond its
/// frame. A frame longer than is of use here is skipped whole.
struct FrameAssembler {
  /// One PDU of the longest MTU.
  private static let longestPayload = 517
  /// Two bytes of length, two of channel.
  private static let headerLength = 4

  /// The frame so far; empty between frames.
  private var bytes: [UInt8] = []

  /// Takes one fragment; gives the channel and the payload of the frame that it completes.
  mutating func receive(
    _ fragment: Span<UInt8>, startsFrame: Bool
  ) -> (channel: L2CAPChannel, payload: [UInt8])? {
    if startsFrame {
      bytes = []
    } else if bytes.isEmpty {
      return nil
    }
    bytes += [UInt8](fragment)
    var reader = ByteReader(bytes.span)
    guard let length = reader.readUInt16(), let channel = reader.readUInt16() else { return nil }
    guard length <= Self.longestPayload, reader.count <= Int(length) else {
      bytes = []
      return nil
    }
    guard reader.count == Int(length) else { return nil }
    let payload = Array(bytes.dropFirst(Self.headerLength))
    bytes = []
    return (L2CAPChannel(rawValue: channel), payload)
  }
}
