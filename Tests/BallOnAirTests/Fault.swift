import BallTestSupport
import BluetoothHost
import Expectations
import VirtualRadio

/// A fault of a controller.
struct Fault: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let strike: @Sendable (VirtualController) -> Void

  init(_ description: String, _ strike: @escaping @Sendable (VirtualController) -> Void) {
    testDescription = description
    self.strike = strike
  }

  /// The controller itself fails.
  static let failures = [
    Fault("Hardware Error, everything lost") { $0.fail(hardwareCode: 0x42) },
    Fault("Hardware Error, nothing lost") { $0.reportHardwareError(0x42) },
    Fault("Two Hardware Errors") {
      $0.reportHardwareError(0x42)
      $0.reportHardwareError(0x43)
    },
  ]

  /// Commands are not carried out.
  static let commands = [
    Fault("one command unanswered") { $0.faults.leaveUnanswered() },
    Fault("three commands unanswered") { $0.faults.leaveUnanswered(times: 3) },
    refusal(.reset, "Reset"), refusal(.setEventMask, "Set Event Mask"),
    refusal(.leReadBufferSize, "LE Read Buffer Size"),
    refusal(.leSetAdvertisingData, "LE Set Advertising Data"),
    refusal(.leSetAdvertisingEnable, "LE Set Advertising Enable"),
    refusal(.leSetAdvertisingEnable, "LE Set Advertising Enable", .hardwareFailure),
    refusal(.disconnect, "Disconnect"),
    refusal(.disconnect, "Disconnect", .unknownConnectionIdentifier),
    refusal(.leSetDataLength, "LE Set Data Length"), refusal(.leSetPHY, "LE Set PHY"),
    refusal(.leSetScanEnable, "LE Set Scan Enable"),
    refusal(.leCreateConnection, "LE Create Connection"),
    Fault("Disconnect unanswered") { $0.faults.leaveUnanswered(.disconnect) },
    Fault("LE Set Advertising Enable unanswered") {
      $0.faults.leaveUnanswered(.leSetAdvertisingEnable)
    },
    Fault("LE Set Advertising Data unanswered, twice") {
      $0.faults.leaveUnanswered(.leSetAdvertisingData, times: 2)
    },
  ]

  /// Buffers, and packets on their way to the host.
  static let packets = [
    Fault("one completion lost") { $0.faults.loseCompletions(1) },
    Fault("every completion lost") { $0.faults.loseCompletions(1_000) },
    Fault("a packet twice") { $0.faults.duplicatePacket() },
    Fault("two packets twice") {
      $0.faults.duplicatePacket()
      $0.faults.duplicatePacket()
    },
    Fault("a packet lost") { $0.faults.losePacket() },
    Fault("two packets lost") {
      $0.faults.losePacket()
      $0.faults.losePacket()
    },
    Fault("an ACL packet lost") { $0.faults.losePacket(type: .acl) },
    Fault("an ACL packet twice") { $0.faults.duplicatePacket(type: .acl) },
    Fault("an ACL packet's length 1 too long") { $0.faults.misstateLength(by: 1, type: .acl) },
    Fault("a length 1 too long") { $0.faults.misstateLength(by: 1) },
    Fault("a length 1 too short") { $0.faults.misstateLength(by: -1) },
    Fault("a length 200 too long") { $0.faults.misstateLength(by: 200) },
  ]

  /// A packet is cut to `length` bytes.
  static let cuts = ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 20]).map { length in
    Fault("a packet cut to \(length)") { $0.faults.cutPacket(to: length) }
  }

  private static func refusal(
    _ opcode: HCIOpcode, _ name: String, _ status: HCIErrorCode = .commandDisallowed
  ) -> Fault {
    Fault("\(name) refused with \(status.rawValue)") { $0.faults.refuse(opcode, with: status) }
  }
}
