import BluetoothHost
import LinuxRadio

/// Prints a line of text for each packet.
public final class PacketTrace: PacketSink {
  private let print: (String) -> Void

  /// - Parameter print: Takes each line, without a line feed.
  public init(print: @escaping (String) -> Void) {
    self.print = print
  }

  /// Prints the packet.
  public func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    print((direction == .sent ? "→ " : "← ") + PacketDescription.text(of: packet))
  }
}

/// One line of text for a packet: its name in the specification, and its main fields.
enum PacketDescription {
  /// Such as "HCI Reset" or "0x0040 ATT Write Request handle 0x0012, 13 bytes".
  static func text(of packet: Span<UInt8>) -> String {
    switch HCIPacket(packet) {
    case .command(let opcode, let parameters)?:
      return "HCI " + commandText(opcode, parameters)
    case .event(let code, let parameters)?:
      return "HCI " + eventText(code, parameters)
    case .acl(let header, let data)?:
      return hexadecimal(header.handle.rawValue) + " " + dataText(header, data)
    case nil:
      return "no HCI packet" + length(packet.count)
    }
  }

  // MARK: Commands and events

  /// Such as "LE Set Advertising Enable, 1 byte".
  static func commandText(_ opcode: HCIOpcode, _ parameters: Span<UInt8>) -> String {
    name(of: opcode) + length(parameters.count)
  }

  /// Such as "Command Complete: Reset, success".
  static func eventText(_ code: HCIEventCode, _ parameters: Span<UInt8>) -> String {
    let unnamed = "event " + hexadecimal(code.rawValue)
    guard let name = code.name?.description else { return unnamed + length(parameters.count) }
    switch code {
    case .commandComplete:
      guard let event = CommandComplete(parameters: parameters) else { break }
      var reader = ByteReader(event.returnParameters)
      let status = reader.readUInt8().map { ", " + statusText($0) } ?? ""
      return "\(name): \(Self.name(of: event.opcode))\(status)"
    case .commandStatus:
      guard let event = CommandStatus(parameters: parameters) else { break }
      return "\(name): \(Self.name(of: event.opcode)), \(statusText(event.status.rawValue))"
    case .disconnectionComplete:
      guard let event = DisconnectionComplete(parameters: parameters) else { break }
      return "\(name) \(hexadecimal(event.handle.rawValue)), reason "
        + hexadecimal(event.reason.rawValue)
    case .numberOfCompletedPackets:
      guard var event = NumberOfCompletedPackets(parameters: parameters) else { break }
      var text = name
      while let (handle, count) = event.next() {
        text += " \(hexadecimal(handle.rawValue)): \(count)"
      }
      return text
    case .leMeta:
      var reader = ByteReader(parameters)
      guard let subevent = reader.readUInt8() else { break }
      return leText(LEMetaSubevent(rawValue: subevent), &reader)
    case .encryptionChange:
      guard let event = EncryptionChange(parameters: parameters) else { break }
      let state = event.enabled == 0 ? "off" : "on"
      return "\(name) \(hexadecimal(event.handle.rawValue)), "
        + (event.status == .success ? state : statusText(event.status.rawValue))
    case .encryptionKeyRefreshComplete:
      guard let event = EncryptionKeyRefreshComplete(parameters: parameters) else { break }
      return "\(name) \(hexadecimal(event.handle.rawValue)), "
        + statusText(event.status.rawValue)
    default:
      return name
    }
    return unnamed + ", too short" + length(parameters.count)
  }

  private static func leText(_ subevent: LEMetaSubevent, _ reader: inout ByteReader) -> String {
    guard let name = subevent.name?.description else {
      return "LE event " + hexadecimal(subevent.rawValue) + length(reader.count)
    }
    switch subevent {
    case .connectionComplete, .enhancedConnectionComplete:
      guard let status = reader.readUInt8(), let handle = reader.readUInt16() else { return name }
      return status == 0 ? "\(name) \(hexadecimal(handle))" : "\(name), \(statusText(status))"
    case .longTermKeyRequest:
      return name + (reader.readUInt16().map { " " + hexadecimal($0) } ?? "")
    default:
      return name
    }
  }

  private static func statusText(_ status: UInt8) -> String {
    status == 0 ? "success" : "error " + hexadecimal(status)
  }

  // MARK: Data

  private static func dataText(_ header: ACLHeader, _ data: Span<UInt8>) -> String {
    var reader = ByteReader(data)
    guard header.boundary != .continuing else { return "L2CAP continuation" + length(data.count) }
    guard let frameLength = reader.readUInt16(), let channel = reader.readUInt16() else {
      return "L2CAP start" + length(data.count)
    }
    switch L2CAPChannel(rawValue: channel) {
    case .att:
      // The length of the whole PDU. Its rest may follow in other packets.
      return "ATT " + attText(&reader, missing: Int(frameLength) - reader.count)
    case .leSignalling:
      return "L2CAP " + name(of: SignallingCode(rawValue: reader.readUInt8() ?? 0))
    case .securityManager:
      return "SMP " + name(of: SMPCode(rawValue: reader.readUInt8() ?? 0))
    default:
      return "L2CAP channel " + hexadecimal(channel) + length(Int(frameLength))
    }
  }

  private static func attText(_ reader: inout ByteReader, missing: Int) -> String {
    guard let byte = reader.readUInt8() else { return "nothing" }
    let opcode = ATTOpcode(rawValue: byte)
    var text = name(of: opcode)
    switch opcode {
    case .errorResponse:
      guard let request = reader.readUInt8(), let handle = reader.readUInt16(),
        let code = reader.readUInt8()
      else { return text + ", too short" }
      text += " \(hexadecimal(code)) to \(name(of: ATTOpcode(rawValue: request)))"
      return text + " handle \(hexadecimal(handle))"
    case .exchangeMTURequest, .exchangeMTUResponse:
      return text + (reader.readUInt16().map { " \($0)" } ?? ", too short")
    case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest,
      .readByGroupTypeRequest:
      guard let start = reader.readUInt16(), let end = reader.readUInt16() else {
        return text + ", too short"
      }
      return text + " handles \(hexadecimal(start)) to \(hexadecimal(end))"
    case .readRequest, .readBlobRequest, .writeRequest, .writeCommand, .signedWriteCommand,
      .prepareWriteRequest, .prepareWriteResponse, .handleValueNotification,
      .handleValueIndication:
      guard let handle = reader.readUInt16() else { return text + ", too short" }
      text += " handle \(hexadecimal(handle))"
      if opcode == .readRequest { return text }
      if opcode == .readBlobRequest || opcode == .prepareWriteRequest
        || opcode == .prepareWriteResponse, let offset = reader.readUInt16()
      {
        text += " offset \(offset)"
      }
      return opcode == .readBlobRequest ? text : text + length(reader.count + max(missing, 0))
    default:
      return text + length(reader.count + max(missing, 0))
    }
  }

  // MARK: Names

  /// The name in the specification, or "command 0xFCFF"; "no command" for `none`.
  static func name(of opcode: HCIOpcode) -> String {
    opcode == .none ? "no command" : name(opcode.name, or: "command", opcode.rawValue)
  }

  /// The name in the specification, or "opcode 0x77".
  static func name(of opcode: ATTOpcode) -> String {
    name(opcode.name, or: "opcode", opcode.rawValue)
  }

  /// The name in the specification, or "error 0x80".
  static func name(of code: ATTErrorCode) -> String {
    name(code.name, or: "error", code.rawValue)
  }

  /// The name in the specification, or "signalling command 0x30".
  static func name(of code: SignallingCode) -> String {
    name(code.name, or: "signalling command", code.rawValue)
  }

  /// The name in the specification, or "command 0x0F".
  static func name(of code: SMPCode) -> String {
    name(code.name, or: "command", code.rawValue)
  }

  private static func name(
    _ name: StaticString?, or kind: String, _ value: some FixedWidthInteger & UnsignedInteger
  ) -> String {
    name?.description ?? kind + " " + hexadecimal(value)
  }

  // MARK: Numbers

  /// Such as ", 2 bytes"; empty for 0 bytes.
  static func length(_ count: Int) -> String {
    switch count {
    case 0: ""
    case 1: ", 1 byte"
    default: ", \(count) bytes"
    }
  }

  /// Such as 0x0040.
  static func hexadecimal<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number)
    -> String
  {
    "0x" + LinuxRadio.hexadecimal(number)
  }
}
