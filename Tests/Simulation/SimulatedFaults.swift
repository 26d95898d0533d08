import BluetoothHost
import VirtualRadio

/// The faults of controllers, by the names of the scripts.
enum SimulatedFaults {
  /// The commands that a controller may refuse.
  static let refusals: [HCIOpcode] = [
    .reset, .setEventMask, .leSetEventMask, .leReadBufferSize, .leSetAdvertisingParameters,
    .leSetAdvertisingData, .leSetAdvertisingEnable, .disconnect, .leSetDataLength, .leSetPHY,
    .leCreateConnection, .leConnectionUpdate, .leEnableEncryption, .leLongTermKeyRequestReply,
    .readRSSI,
  ]

  /// Begins a fault of `controller`.
  static func begin(_ fault: ControllerFault, of controller: VirtualController) {
    switch fault {
    case .losePacket: controller.faults.losePacket()
    case .loseData: controller.faults.losePacket(type: .acl)
    case .repeatPacket: controller.faults.duplicatePacket()
    case .repeatData: controller.faults.duplicatePacket(type: .acl)
    case .cut(let length): controller.faults.cutPacket(to: length)
    case .misstate(let difference): controller.faults.misstateLength(by: difference)
    case .loseCompletions(let count): controller.faults.loseCompletions(count)
    case .ignore(let times): controller.faults.leaveUnanswered(times: times)
    case .refuse(let number):
      guard refusals.indices.contains(number) else { return }
      controller.faults.refuse(refusals[number], with: .commandDisallowed)
    case .fail: controller.fail(hardwareCode: 0x42)
    case .reset: controller.fail(hardwareCode: nil)
    case .complain: controller.reportHardwareError(0x42)
    case .changeKey: controller.faults.changeKeys()
    case .delayKey(let milliseconds): controller.faults.delayKeyAnswer(by: milliseconds)
    case .loseLink(let count): controller.faults.loseLink(afterPackets: count)
    case .event(let seed): controller.add(event(seed, controller.connectionHandles.first).span)
    }
  }

  /// An event of the right length with wrong content: often about a link that exists.
  private static func event(_ seed: UInt64, _ handle: ConnectionHandle?) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    let codes: [UInt8] = [0x05, 0x08, 0x0E, 0x0F, 0x10, 0x13, 0x1A, 0x30, 0x3E, 0x57, 0xFF]
    let code = codes[Int(random.next() % UInt64(codes.count))]
    var parameters = (0..<random.next() % 24).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    if let handle, parameters.count > 3, random.next() % 2 == 0 {
      parameters[0] = code == 0x13 ? 1 : 0
      parameters[1] = UInt8(truncatingIfNeeded: handle.rawValue)
      parameters[2] = UInt8(truncatingIfNeeded: handle.rawValue >> 8)
    }
    if code == 0x3E, parameters.count > 1 { parameters[0] = UInt8(random.next() % 0x14) }
    return [0x04, code, UInt8(parameters.count)] + parameters
  }
}
