import BluetoothHost
import LinuxRadio

/// The LE credit-based channels of one link, with the state of each SDU.
///
/// Core Specification, Vol 3, Part A, 3.4: the first K-frame of an SDU begins with the SDU's length.
struct ChannelLayers {
  /// A channel identifier at the device that receives its K-frames.
  private struct End: Hashable {
    var channel: UInt16
    var direction: PacketDirection
  }

  private struct SDU {
    var count: Int
    var total: Int
  }

  private var unfinished: [End: SDU] = [:]

  /// Describes the part of an SDU in this payload of a K-frame.
  mutating func part(
    _ payload: Span<UInt8>, of channel: L2CAPChannel, _ direction: PacketDirection
  ) -> String {
    let end = End(channel: channel.rawValue, direction: direction)
    var reader = ByteReader(payload)
    var sdu: SDU
    if let known = unfinished[end] {
      sdu = known
    } else {
      guard let total = reader.readUInt16() else {
        return "cut short" + PacketDescription.length(payload.count)
      }
      sdu = SDU(count: 0, total: Int(total))
    }
    let isFirst = sdu.count == 0
    sdu.count += reader.count
    guard sdu.count < sdu.total else {
      unfinished[end] = nil
      if sdu.count > sdu.total { return "more than an SDU of \(sdu.total) bytes" }
      return isFirst
        ? "an SDU" + PacketDescription.length(sdu.total)
        : "the last \(reader.count) of \(sdu.total) bytes of an SDU"
    }
    unfinished[end] = sdu
    return "\(sdu.count) of \(sdu.total) bytes of an SDU"
  }

  /// The name of a signalling command. A command that opens or closes a channel drops its
  /// unfinished SDU.
  mutating func signalling(_ payload: Span<UInt8>, _ direction: PacketDirection) -> String {
    guard let command = SignallingCommand(payload) else {
      return "cut short" + PacketDescription.length(payload.count)
    }
    let name = PacketDescription.signallingName(command.code.rawValue)
    guard command.isComplete else { return "\(name), cut short" }
    var reader = ByteReader(command.data)
    switch command.code {
    case .leCreditBasedConnectionRequest:
      if let request = LECreditBasedConnectionRequest(&reader) {
        forget(request.sourceCID, direction.opposite)
      }
    case .leCreditBasedConnectionResponse:
      if let response = LECreditBasedConnectionResponse(&reader) {
        forget(response.destinationCID, direction.opposite)
      }
    case .disconnectionRequest:
      if let request = DisconnectionRequest(&reader) {
        forget(request.destinationCID, direction)
        forget(request.sourceCID, direction.opposite)
      }
    case .flowControlCredit:
      if let indication = FlowControlCreditIndication(&reader) {
        let channel = PacketDescription.hexadecimal(indication.cid.rawValue)
        return "\(name), \(indication.credits) for channel \(channel)"
      }
    default: break
    }
    return name
  }

  private mutating func forget(_ channel: L2CAPChannel, _ direction: PacketDirection) {
    unfinished[End(channel: channel.rawValue, direction: direction)] = nil
  }
}

extension PacketDirection {
  /// The direction of the response.
  var opposite: PacketDirection { self == .sent ? .received : .sent }
}
