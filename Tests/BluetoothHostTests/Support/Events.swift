import BluetoothHost

/// The event packets of a controller.
enum Events {
  static func complete(_ opcode: HCIOpcode, _ results: [UInt8], credits: UInt8 = 1) -> [UInt8] {
    [0x04, 0x0E, UInt8(3 + results.count), credits] + Array(little: opcode.rawValue) + results
  }

  static func status(_ opcode: HCIOpcode, _ status: UInt8 = 0, credits: UInt8 = 1) -> [UInt8] {
    [0x04, 0x0F, 4, status, credits] + Array(little: opcode.rawValue)
  }

  static func completedPackets(of handle: UInt16, count: UInt16 = 1) -> [UInt8] {
    [0x04, 0x13, 5, 1] + Array(little: handle) + Array(little: count)
  }

  /// `peer` is its address type and address; `role` 0 is the central.
  static func connected(_ handle: UInt16, peer: [UInt8], role: UInt8 = 0) -> [UInt8] {
    let parameters =
      [0x01, 0x00] + Array(little: handle) + [role] + peer + [24, 0, 0, 0, 200, 0, 0]
    return [0x04, 0x3E, UInt8(parameters.count)] + parameters
  }

  static func connectionFailed(_ status: UInt8) -> [UInt8] {
    [0x04, 0x3E, 19, 0x01, status] + [UInt8](repeating: 0, count: 17)
  }

  static func disconnected(_ handle: UInt16, reason: UInt8) -> [UInt8] {
    [0x04, 0x05, 4, 0x00] + Array(little: handle) + [reason]
  }
}

extension DeviceAddress {
  /// `F0:00:00:00:00:NN`, public.
  static func numbered(_ number: UInt8) -> DeviceAddress {
    DeviceAddress(kind: .public, bytes: [number, 0, 0, 0, 0, 0xF0])
  }
}
