import BluetoothHost

/// A command of a virtual controller: the length of its parameters, its answer, and its bit in Read
/// Local Supported Commands.
struct CommandDefinition: Sendable {
  /// The event that answers a command.
  enum Answer: Equatable {
    /// Command Complete with this many bytes after the status.
    case complete(Int)
    /// Command Complete with the status, the command's handle, and this many bytes.
    case completeWithHandle(Int)
    /// Command Status, and another event later.
    case status
  }

  /// The feature that a controller needs for the command.
  enum Need: Equatable {
    case nothing
    case dataLengthExtension
    case phys
    case encryption
    case privacy
    case p256
  }

  var opcode: UInt16
  var parameterLength: Int
  var answer: Answer
  /// Core Specification, Vol 4, Part E, 6.27: an octet and a bit of it; `nil` for a command without
  /// a bit.
  var supportedBit: (octet: Int, bit: Int)?
  var need = Need.nothing

  /// The definition for `opcode`; `nil` if a controller of `configuration` does not know it.
  static func find(
    _ opcode: HCIOpcode, for configuration: ControllerConfiguration
  ) -> CommandDefinition? {
    all.first { $0.opcode == opcode.rawValue && $0.isKnown(to: configuration) }
  }

  func isKnown(to configuration: ControllerConfiguration) -> Bool {
    switch need {
    case .nothing: true
    case .dataLengthExtension: configuration.supportsDataLengthExtension
    case .phys: configuration.supports2MPHY
    case .encryption: configuration.supportsEncryption
    case .privacy: configuration.supportsPrivacy
    case .p256: configuration.p256Commands != .unknown
    }
  }

  private static func define(
    _ opcode: UInt16, _ parameterLength: Int, _ answer: Answer, _ octet: Int, _ bit: Int,
    needs need: Need = .nothing
  ) -> CommandDefinition {
    CommandDefinition(
      opcode: opcode, parameterLength: parameterLength, answer: answer, supportedBit: (octet, bit),
      need: need)
  }

  /// All known commands, in the order of the opcodes.
  static let all: [CommandDefinition] = [
    // Link control, 7.1.
    define(0x0406, 3, .status, 0, 5),  // Disconnect
    define(0x041D, 2, .status, 2, 7),  // Read Remote Version Information

    // Controller and baseband, 7.3.
    define(0x0C01, 8, .complete(0), 5, 6),  // Set Event Mask
    define(0x0C03, 0, .complete(0), 5, 7),  // Reset

    // Informational, 7.4, and status, 7.5.
    define(0x1001, 0, .complete(8), 14, 3),  // Read Local Version Information
    CommandDefinition(  // Read Local Supported Commands
      opcode: 0x1002, parameterLength: 0, answer: .complete(64), supportedBit: nil),
    define(0x1003, 0, .complete(8), 14, 5),  // Read Local Supported Features
    define(0x1005, 0, .complete(7), 14, 7),  // Read Buffer Size
    define(0x1009, 0, .complete(6), 15, 1),  // Read BD_ADDR
    define(0x1405, 2, .completeWithHandle(1), 15, 5),  // Read RSSI

    // LE controller, 7.8.
    define(0x2001, 8, .complete(0), 25, 0),  // LE Set Event Mask
    define(0x2002, 0, .complete(3), 25, 1),  // LE Read Buffer Size
    define(0x2003, 0, .complete(8), 25, 2),  // LE Read Local Supported Features
    define(0x2005, 6, .complete(0), 25, 4),  // LE Set Random Address
    define(0x2006, 15, .complete(0), 25, 5),  // LE Set Advertising Parameters
    define(0x2007, 0, .complete(1), 25, 6),  // LE Read Advertising Physical Channel Tx Power
    define(0x2008, 32, .complete(0), 25, 7),  // LE Set Advertising Data
    define(0x2009, 32, .complete(0), 26, 0),  // LE Set Scan Response Data
    define(0x200A, 1, .complete(0), 26, 1),  // LE Set Advertising Enable
    define(0x200B, 7, .complete(0), 26, 2),  // LE Set Scan Parameters
    define(0x200C, 2, .complete(0), 26, 3),  // LE Set Scan Enable
    define(0x200D, 25, .status, 26, 4),  // LE Create Connection
    define(0x200E, 0, .complete(0), 26, 5),  // LE Create Connection Cancel
    define(0x200F, 0, .complete(1), 26, 6),  // LE Read Filter Accept List Size
    define(0x2010, 0, .complete(0), 26, 7),  // LE Clear Filter Accept List
    define(0x2011, 7, .complete(0), 27, 0),  // LE Add Device To Filter Accept List
    define(0x2012, 7, .complete(0), 27, 1),  // LE Remove Device From Filter Accept List
    define(0x2013, 14, .status, 27, 2),  // LE Connection Update
    define(0x2016, 2, .status, 27, 5),  // LE Read Remote Features
    define(0x2017, 32, .complete(16), 27, 6, needs: .encryption),  // LE Encrypt
    define(0x2018, 0, .complete(8), 27, 7),  // LE Rand
    define(0x2019, 28, .status, 28, 0, needs: .encryption),  // LE Enable Encryption
    define(0x201A, 18, .completeWithHandle(0), 28, 1, needs: .encryption),  // LE Long Term Key …
    define(0x201B, 2, .completeWithHandle(0), 28, 2, needs: .encryption),  // … Negative Reply
    define(0x201C, 0, .complete(8), 28, 3),  // LE Read Supported States
    define(0x2020, 14, .completeWithHandle(0), 33, 4),  // LE Remote Connection Parameter Request …
    define(0x2021, 3, .completeWithHandle(0), 33, 5),  // … Negative Reply
    define(0x2022, 6, .completeWithHandle(0), 33, 6, needs: .dataLengthExtension),  // Data Length
    define(0x2023, 0, .complete(4), 33, 7, needs: .dataLengthExtension),  // Read Suggested …
    define(0x2024, 4, .complete(0), 34, 0, needs: .dataLengthExtension),  // Write Suggested …
    define(0x2025, 0, .status, 34, 1, needs: .p256),  // LE Read Local P-256 Public Key
    define(0x2026, 64, .status, 34, 2, needs: .p256),  // LE Generate DHKey
    define(0x2027, 39, .complete(0), 34, 3, needs: .privacy),  // LE Add Device To Resolving List
    define(0x2028, 7, .complete(0), 34, 4, needs: .privacy),  // LE Remove Device From …
    define(0x2029, 0, .complete(0), 34, 5, needs: .privacy),  // LE Clear Resolving List
    define(0x202A, 0, .complete(1), 34, 6, needs: .privacy),  // LE Read Resolving List Size
    define(0x202B, 7, .complete(6), 34, 7, needs: .privacy),  // LE Read Peer Resolvable Address
    define(0x202C, 7, .complete(6), 35, 0, needs: .privacy),  // LE Read Local Resolvable Address
    define(0x202D, 1, .complete(0), 35, 1, needs: .privacy),  // LE Set Address Resolution Enable
    define(0x202E, 2, .complete(0), 35, 2, needs: .privacy),  // LE Set Resolvable … Timeout
    define(0x202F, 0, .complete(8), 35, 3, needs: .dataLengthExtension),  // Read Maximum …
    define(0x2030, 2, .completeWithHandle(2), 35, 4, needs: .phys),  // LE Read PHY
    define(0x2031, 3, .complete(0), 35, 5, needs: .phys),  // LE Set Default PHY
    define(0x2032, 7, .status, 35, 6, needs: .phys),  // LE Set PHY
    define(0x204E, 8, .complete(0), 39, 2, needs: .privacy),  // LE Set Privacy Mode
    define(0x205E, 65, .status, 41, 2, needs: .p256),  // LE Generate DHKey [v2]
  ]
}
