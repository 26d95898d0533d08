import BluetoothHost
import VirtualRadio

/// Sends PDUs that a central's client would never send. The client ignores the responses; the test
/// finds them among the peripheral's packets.
struct RawLink {
  private let radio: VirtualController

  init(_ phone: Phone) {
    self.init(phone.radio)
  }

  init(_ radio: VirtualController) {
    self.radio = radio
  }

  /// Sends one frame in fragments of at most `size` bytes.
  func send(_ payload: [UInt8], on channel: L2CAPChannel = .att, size: Int = 251) {
    guard let handle = radio.connectionHandles.first else { return }
    let length = payload.count
    let frame =
      [UInt8(length & 0xFF), UInt8(length >> 8), UInt8(channel.rawValue & 0xFF), 0] + payload
    for start in stride(from: 0, to: frame.count, by: size) {
      let data = Array(frame[start..<min(frame.count, start + size)])
      sendFragment(data, on: handle, isFirst: start == 0)
    }
  }

  func sendFragment(_ data: [UInt8], on handle: ConnectionHandle, isFirst: Bool) {
    let field = handle.rawValue | (isFirst ? 0 : 0x1000)
    let packet =
      [
        0x02, UInt8(field & 0xFF), UInt8(field >> 8), UInt8(data.count & 0xFF),
        UInt8(data.count >> 8),
      ] + data
    radio.send(packet.span)
  }

  /// Sends one PDU, and returns the ball's next PDU without headers.
  func ask<let capacity: Int>(
    _ payload: [UInt8], on stage: Stage<capacity>, channel: L2CAPChannel = .att
  ) -> [UInt8]? {
    let before = stage.sent.count
    send(payload, on: channel)
    stage.settle()
    return stage.frames(after: before).first { $0.channel == channel }?.payload
  }
}

extension Stage {
  /// The L2CAP frames, on any link, among the ball's packets after the first `count`.
  func frames(after count: Int) -> [(channel: L2CAPChannel, payload: [UInt8])] {
    var frames: [(channel: L2CAPChannel, payload: [UInt8])] = []
    for packet in sent.dropFirst(count) where packet.count > 5 && packet[0] == 0x02 {
      if packet[2] & 0x30 == 0x10 {
        // The rest of a frame.
        guard !frames.isEmpty else { continue }
        frames[frames.count - 1].payload += packet.dropFirst(5)
      } else if packet.count >= 9 {
        frames.append(
          (L2CAPChannel(rawValue: UInt16(packet[7])), Array(packet.dropFirst(9))))
      }
    }
    return frames
  }

  /// The opcodes of the commands that the ball's host has sent.
  var commands: [HCIOpcode] {
    sent.filter { $0.first == 0x01 && $0.count > 3 }
      .map { HCIOpcode(rawValue: UInt16($0[1]) | UInt16($0[2]) << 8) }
  }
}
