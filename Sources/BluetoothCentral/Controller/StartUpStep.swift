import BluetoothHost

/// What a controller is told and asked, in this order, before it is ready.
enum StartUpStep: Equatable {
  case reset
  case setEventMask
  case leSetEventMask
  case readAddress
  case readLEBuffers
  /// Only if the controller has no buffers for LE alone.
  case readSharedBuffers
  case readLEFeatures
  /// Only if the central goes by its random address.
  case setRandomAddress

  /// Disconnection Complete (bit 4), Encryption Change (7), Hardware Error (15), Data Buffer
  /// Overflow (25) and LE Meta (61): Core Specification, Vol 4, Part E, 7.3.1.
  private static let eventMask: UInt64 = 1 << 4 | 1 << 7 | 1 << 15 | 1 << 25 | 1 << 61

  /// Connection Complete (bit 0), Advertising Report (1), Connection Update Complete (2), Data
  /// Length Change (6), Enhanced Connection Complete (9), PHY Update Complete (11) and Extended
  /// Advertising Report (12): 7.8.1. Without Remote Connection Parameter Request (5) a controller
  /// leaves such requests to L2CAP.
  private static let leEventMask: UInt64 =
    1 << 0 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 9 | 1 << 11 | 1 << 12

  var opcode: HCIOpcode {
    switch self {
    case .reset: .reset
    case .setEventMask: .setEventMask
    case .leSetEventMask: .leSetEventMask
    case .readAddress: .readBDADDR
    case .readLEBuffers: .leReadBufferSize
    case .readSharedBuffers: .readBufferSize
    case .readLEFeatures: .leReadLocalSupportedFeatures
    case .setRandomAddress: .leSetRandomAddress
    }
  }

  /// Whether a controller that refuses it, or says nothing, is still of use.
  var isOptional: Bool {
    switch self {
    case .setEventMask, .leSetEventMask, .readAddress, .readLEBuffers, .readLEFeatures: true
    case .reset, .readSharedBuffers, .setRandomAddress: false
    }
  }

  func writePacket(_ address: DeviceAddress, to writer: inout ByteWriter) {
    switch self {
    case .setEventMask: SetEventMask(mask: Self.eventMask).writePacket(to: &writer)
    case .leSetEventMask: LESetEventMask(mask: Self.leEventMask).writePacket(to: &writer)
    case .setRandomAddress: LESetRandomAddress(address).writePacket(to: &writer)
    default: PlainCommand(opcode).writePacket(to: &writer)
    }
  }
}
