import BluetoothHost

/// Reads a file of a radio's packets: btsnoop of version 1, as `Capture`, Android and btmon write it.
///
/// A record that is cut short, as at the end of a file that is still written, ends the packets.
public struct CaptureReader {
  /// Why a file is no capture.
  public enum Failure: Error, Equatable, CustomStringConvertible {
    /// It does not begin as a btsnoop file of version 1 does.
    case noCapture
    /// Its packets are in another form.
    case unknownForm(UInt32)

    /// What is wrong, and what is right, without a full stop.
    public var description: String {
      switch self {
      case .noCapture: "it is not a btsnoop file of version 1, as btmon -w and Android write it"
      case .unknownForm(let number):
        "its packets have the form \(number): only 1001 and 1002 (HCI and H4) and 2001 (btmon) are "
          + "known"
      }
    }
  }

  /// A packet.
  public struct Packet: Equatable {
    /// The bytes, H4's type byte first.
    public var bytes: [UInt8]
    /// Which side sent it.
    public var direction: PacketDirection
    /// The number of the controller, which btmon writes; 0 otherwise.
    public var controller: UInt16
    /// When, in microseconds since the start of the year 0.
    public var time: UInt64
  }

  private enum Form: UInt32 {
    case hci = 1_001
    case h4 = 1_002
    case monitor = 2_001
  }

  private let file: [UInt8]
  private let form: Form
  private var position = 16
  /// How many packets were not kept whole so far, or not at all.
  public var losses: UInt32 { partial + dropped }
  private var partial: UInt32 = 0
  private var dropped: UInt32 = 0

  /// Reads the header of a file.
  public init(_ file: [UInt8]) throws(Failure) {
    guard file.count >= 16, file.starts(with: Array("btsnoop\0".utf8) + [0, 0, 0, 1]) else {
      throw .noCapture
    }
    let number = Self.number(file[12..<16])
    guard let form = Form(rawValue: number) else { throw .unknownForm(number) }
    self.file = file
    self.form = form
  }

  /// The next packet that the host and the controller exchanged; `nil` at the end. One that was not
  /// kept whole is left out.
  public mutating func next() -> Packet? {
    while position + 24 <= file.count {
      let original = Self.number(file[position..<position + 4])
      let count = Int(Self.number(file[position + 4..<position + 8]))
      let flags = Self.number(file[position + 8..<position + 12])
      let drops = Self.number(file[position + 12..<position + 16])
      let time =
        UInt64(Self.number(file[position + 16..<position + 20])) << 32
        | UInt64(Self.number(file[position + 20..<position + 24]))
      let start = position + 24
      guard count <= file.count - start else { break }
      position = start + count
      let bytes = file[start..<position]
      // The logger's count from the start.
      dropped = max(dropped, min(drops, .max / 2))
      if Int(original) != count {
        partial += 1
      } else if let packet = packet(bytes, flags, time) {
        return packet
      }
    }
    if position < file.count { partial += 1 }
    position = file.count
    return nil
  }

  private func packet(
    _ bytes: ArraySlice<UInt8>, _ flags: UInt32, _ time: UInt64
  ) -> Packet? {
    let direction = flags & 1 == 1 ? PacketDirection.received : .sent
    switch form {
    case .h4: return Packet(bytes: Array(bytes), direction: direction, controller: 0, time: time)
    case .hci:
      let type: HCIPacketType =
        flags & 2 == 0 ? .acl : direction == .received ? .event : .command
      return Packet(
        bytes: [type.rawValue] + bytes, direction: direction, controller: 0, time: time)
    case .monitor:
      // The kernel's operation codes: 2 and 3 are a command and an event, 4 and 5 data.
      let types: [UInt32: (HCIPacketType, PacketDirection)] = [
        2: (.command, .sent), 3: (.event, .received), 4: (.acl, .sent), 5: (.acl, .received),
      ]
      guard let (type, direction) = types[flags & 0xFFFF] else { return nil }
      return Packet(
        bytes: [type.rawValue] + bytes, direction: direction, controller: UInt16(flags >> 16),
        time: time)
    }
  }

  /// A number of four bytes in big-endian order.
  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }
}
