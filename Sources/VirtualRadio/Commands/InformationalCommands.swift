import BluetoothHost

/// The controller's information about itself.
extension VirtualController {
  /// Bluetooth 5.0. Assigned Numbers, 2.1.
  static let coreVersion: UInt8 = 0x09
  /// The company identifier for internal use. Assigned Numbers, 7.1.
  static let company: UInt16 = 0xFFFF

  /// Answers a command that only reads.
  func answerInformational(_ opcode: HCIOpcode, _ command: CommandDefinition) {
    switch opcode {
    case .readLocalVersionInformation:
      succeed(command) { writer in
        writer.write(Self.coreVersion)
        writer.write(UInt16(0))  // HCI subversion
        writer.write(Self.coreVersion)  // Link layer version
        writer.write(Self.company)
        writer.write(UInt16(0))  // Link layer subversion
      }
    case .readLocalSupportedCommands:
      let mask = supportedCommands
      succeed(command) { $0.write(mask.span) }
    case .readLocalSupportedFeatures:
      // Octet 4: BR/EDR Not Supported (bit 5), LE Supported (Controller) (bit 6).
      succeed(command) { $0.write(UInt64(0x60) &<< 32) }
    case .readBufferSize:
      succeed(command) { writer in
        writer.write(configuration.aclDataLength)
        writer.write(UInt8(0))  // No synchronous data,
        writer.write(UInt16(configuration.aclPacketCount))
        writer.write(UInt16(0))  // and no buffers for it.
      }
    case .readBDADDR:
      succeed(command) { address.writeBytes(to: &$0) }
    case .leReadBufferSize:
      succeed(command) { writer in
        writer.write(configuration.sharesBuffers ? 0 : configuration.aclDataLength)
        writer.write(configuration.sharesBuffers ? 0 : configuration.aclPacketCount)
      }
    case .leReadLocalSupportedFeatures:
      succeed(command) { $0.write(configuration.features) }
    case .leReadSupportedStates:
      // Every combination of roles: bits 0 to 41. Core Specification, Vol 4, Part E, 7.8.27.
      succeed(command) { $0.write(UInt64(0x0000_03FF_FFFF_FFFF)) }
    default:
      succeed(command) { $0.write(Int8(0)) }  // Tx power, in dBm
    }
  }

  /// A bit for each known command of the table.
  private var supportedCommands: [UInt8] {
    var mask = [UInt8](repeating: 0, count: 64)
    for definition in CommandDefinition.all where definition.isKnown(to: configuration) {
      guard let position = definition.supportedBit else { continue }
      mask[position.octet] |= 1 << UInt8(position.bit)
    }
    return mask
  }
}
