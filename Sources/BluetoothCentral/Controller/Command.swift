import BluetoothHost

/// A command that the central sends, with what has to be known when its answer comes.
enum Command: Equatable {
  case startUp(StartUpStep, DeviceAddress)
  case scanParameters(ScanOptions, ownAddressType: UInt8)
  case scanEnable(LESetScanEnable)
  case createConnection(LECreateConnection)
  case cancelConnection
  case disconnect(Disconnect)
  case connectionUpdate(LEConnectionUpdate)
  case parametersReply(LERemoteConnectionParameterRequestReply)
  case parametersRefusal(ConnectionHandle)
  case readRSSI(ConnectionHandle, OperationID)

  var opcode: HCIOpcode {
    switch self {
    case .startUp(let step, _): step.opcode
    case .scanParameters: .leSetScanParameters
    case .scanEnable: .leSetScanEnable
    case .createConnection: .leCreateConnection
    case .cancelConnection: .leCreateConnectionCancel
    case .disconnect: .disconnect
    case .connectionUpdate: .leConnectionUpdate
    case .parametersReply: .leRemoteConnectionParameterRequestReply
    case .parametersRefusal: .leRemoteConnectionParameterRequestNegativeReply
    case .readRSSI: .readRSSI
    }
  }

  /// Whether the central can go on when the controller says nothing to it. Some controllers, real
  /// and virtual, do not answer what they do not know.
  var isOptional: Bool {
    switch self {
    case .startUp(let step, _): step.isOptional
    case .connectionUpdate, .parametersReply, .parametersRefusal, .readRSSI: true
    default: false
    }
  }

  /// Whether it is answered by Command Status, and some event later, rather than by Command
  /// Complete.
  var isAnsweredByStatus: Bool {
    switch self {
    case .createConnection, .disconnect, .connectionUpdate: true
    default: false
    }
  }

  /// Writes the whole packet.
  func writePacket(to writer: inout ByteWriter) {
    switch self {
    case .startUp(let step, let address): step.writePacket(address, to: &writer)
    case .scanParameters(let options, let ownAddressType):
      LESetScanParameters(
        type: options.isActive ? 1 : 0, interval: options.interval, window: options.window,
        ownAddressType: ownAddressType, filterPolicy: 0
      ).writePacket(to: &writer)
    case .scanEnable(let command): command.writePacket(to: &writer)
    case .createConnection(let command): command.writePacket(to: &writer)
    case .cancelConnection: PlainCommand(.leCreateConnectionCancel).writePacket(to: &writer)
    case .disconnect(let command): command.writePacket(to: &writer)
    case .connectionUpdate(let command): command.writePacket(to: &writer)
    case .parametersReply(let command): command.writePacket(to: &writer)
    case .parametersRefusal(let handle):
      LERemoteConnectionParameterRequestNegativeReply(
        handle: handle, reason: .unacceptableConnectionParameters
      ).writePacket(to: &writer)
    case .readRSSI(let handle, _): ReadRSSI(handle: handle).writePacket(to: &writer)
    }
  }
}
