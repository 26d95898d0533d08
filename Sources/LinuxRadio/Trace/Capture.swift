import BluetoothHost
import Linux

/// A file of a radio's packets for btmon, hcidump and Wireshark: btsnoop, with H4 packets.
///
/// Each packet is written at once, so that the file is complete whenever the program ends, and
/// without allocation. It never blocks the radio: a packet that cannot be written at once, such as
/// to a full disk or a stalled pipe, is left out and counted. The next record also has the count.
public final class Capture: PacketSink {
  /// How many packets have been left out.
  public private(set) var losses: UInt32 = 0
  /// Why the last of them was left out; `nil` if none has been.
  public private(set) var failure: SystemError?

  private let file: RecordFile
  private let microseconds: () -> Int64
  private let onFirstLoss: (SystemError) -> Void
  /// The time stamps of the packets that were sent before the first one was received, and their offsets; `nil` after
  /// that.
  private var firstTimes: [(offset: Int, microseconds: Int64)]? = []
  private var record = [UInt8](repeating: 0, count: recordHeaderLength + Radio.longestPacket)

  /// "btsnoop" and a zero byte, version 1, and 1002 for H4, in big-endian order.
  private static let fileHeader: [UInt8] = [
    0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00, 0, 0, 0, 1, 0, 0, 0x03, 0xEA,
  ]

  /// Two lengths, flags and the packets lost so far in 4 bytes each, and the time in 8.
  private static let recordHeaderLength = 4 + 4 + 4 + 4 + 8

  /// The microseconds from the start of the year 0 to the start of 1970.
  private static let yearZero: Int64 = 0x00DC_DDB3_0F2F_8000

  /// Creates or empties the file at `path`. Only this user can read it, since questions are
  /// private. A pipe keeps the first packets until it is read.
  ///
  /// - Parameters:
  ///   - microseconds: The time since 1970, for the packets' time stamps.
  ///   - onFirstLoss: Called with the reason when the first packet is left out.
  /// - Throws: Why it cannot be created, such as `notPermitted` for another user's file.
  public init(
    path: String, microseconds: @escaping () -> Int64 = { WallClock.microseconds },
    onFirstLoss: @escaping (SystemError) -> Void = { _ in }
  ) throws(SystemError) {
    file = try RecordFile(path)
    self.microseconds = microseconds
    self.onFirstLoss = onFirstLoss
    try file.append(Self.fileHeader.span)
  }

  /// Writes one packet, truncated to a radio's longest packet.
  ///
  /// What was sent before the first packet was received has no later time than that one, in a regular file: an air with
  /// simulated time sends its time first.
  public func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    let kept = packet.extracting(first: Radio.longestPacket)
    var writer = ByteWriter(record.mutableSpan)
    writer.write(UInt32(truncatingIfNeeded: packet.count).byteSwapped)
    writer.write(UInt32(truncatingIfNeeded: kept.count).byteSwapped)
    writer.write(Self.flags(of: packet, direction).byteSwapped)
    writer.write(losses.byteSwapped)
    let time = microseconds()
    if direction == .sent {
      firstTimes?.append((file.length + writer.count, time))
    } else if let times = firstTimes.take() {
      for sent in times where sent.microseconds > time {
        file.overwrite(at: sent.offset, with: Self.timeStamp(of: time))
      }
    }
    writer.write(Self.timeStamp(of: time))
    writer.write(kept)
    let length = writer.count
    // Another reference, not a copy: it is released before the next packet is written.
    let record = self.record
    do throws(SystemError) {
      try file.append(record.span.extracting(0..<length))
    } catch {
      let isFirst = failure == nil
      failure = error
      if losses < .max { losses += 1 }
      if isFirst { onFirstLoss(error) }
    }
  }

  private static func timeStamp(of microseconds: Int64) -> UInt64 {
    UInt64(bitPattern: microseconds &+ yearZero).byteSwapped
  }

  /// Bit 0: received; bit 1: a command or an event, not data.
  private static func flags(of packet: Span<UInt8>, _ direction: PacketDirection) -> UInt32 {
    var reader = ByteReader(packet)
    let type = HCIPacketType(rawValue: reader.readUInt8() ?? 0)
    return (direction == .received ? 1 : 0) | (type == .command || type == .event ? 2 : 0)
  }
}

/// Receives the packets of a radio: a capture file, a trace on the terminal.
public protocol PacketSink: AnyObject {
  /// Takes a whole packet, which begins with H4's type byte.
  func note(_ packet: Span<UInt8>, _ direction: PacketDirection)
}

/// The wall clock, which may be set at any time: for time stamps, not for waiting.
public enum WallClock {
  /// Microseconds since the start of 1970, in UTC.
  public static var microseconds: Int64 {
    var fraction: UInt32 = 0
    let seconds = unsafe clinux_time(&fraction)
    return Int64(seconds) &* 1_000_000 &+ Int64(fraction)
  }
}
