/// The queue of short frames to one peer outside of the attribute protocol: responses of signalling
/// and pairing.
///
/// Each is at most 23 bytes and fits one ACL packet. The queue has room for a few; if a peer sends
/// requests faster than its link carries responses, some remain unanswered.
struct ControlFrames: ~Copyable {
  private var buffer = ByteBuffer<108>()
  private var position = 0

  init() {}

  /// Whether the queue is empty.
  var isEmpty: Bool { buffer.isEmpty }

  mutating func removeAll() {
    buffer.removeAll()
    position = 0
  }

  /// Adds a frame for `channel` with what `body` writes; nothing if that is empty.
  mutating func append(_ channel: L2CAPChannel, _ body: (inout ByteWriter) -> Void) {
    var frame = ByteBuffer<27>()
    var length = 0
    frame.write { writer in
      writer.write(UInt16(0))
      writer.write(channel.rawValue)
      body(&writer)
      length = writer.count - L2CAPFrame.headerLength
    }
    guard length > 0 else { return }
    frame.adjust(by: length, at: 0)
    _ = buffer.append(frame.span)
  }

  /// Writes the first frame as an ACL packet; `false` if there is none.
  @inline(never)
  mutating func writePacket(_ handle: ConnectionHandle, to writer: inout ByteWriter) -> Bool {
    let length = frameLength
    guard length > 0 else { return false }
    ACLHeader(handle: handle, boundary: .firstNonFlushable)
      .writePacket(buffer.span.extracting(position..<position + length), to: &writer)
    position += length
    if position == buffer.count { removeAll() }
    return true
  }

  /// The length of the first frame with its header; 0 if there is none.
  private var frameLength: Int {
    var reader = ByteReader(buffer.span.extracting(position..<buffer.count))
    guard let payload = reader.readUInt16(),
      reader.count + 2 >= L2CAPFrame.headerLength + Int(payload)
    else { return 0 }
    return L2CAPFrame.headerLength + Int(payload)
  }
}
