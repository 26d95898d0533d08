import BluetoothHost

/// Starting encryption: the two hosts' keys are compared. Nothing is encrypted on an air that
/// nobody else can hear.
extension VirtualController {
  /// Core Specification, Vol 1, Part F, 2.57.
  private static let micFailure = HCIErrorCode(rawValue: 0x3D)

  func performEncryption(
    _ opcode: HCIOpcode, _ command: CommandDefinition, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    guard let handle = ConnectionHandle(&reader), let end = link(handle) else {
      return .unknownConnectionIdentifier
    }
    switch opcode {
    case .leEnableEncryption:
      guard end.role == .central else { return .commandDisallowed }
      guard let randomNumber = reader.readUInt64(), let diversifier = reader.readUInt16(),
        let key = reader.readKey()
      else { return .invalidCommandParameters }
      accept(command)
      end.askForKey(randomNumber, diversifier, key)
    case .leLongTermKeyRequestReply:
      guard let key = reader.readKey() else { return .invalidCommandParameters }
      guard let request = end.keyRequest else { return .commandDisallowed }
      end.keyRequest = nil
      succeed(command, handle)
      guard request.key == key else {
        let peer = end.peer
        finish(end, Self.micFailure)
        if let peer { peer.controller?.finish(peer, Self.micFailure) }
        return nil
      }
      end.tellEncryption(.success)
      end.peer?.tellEncryption(.success)
    default:
      guard end.keyRequest != nil else { return .commandDisallowed }
      end.keyRequest = nil
      succeed(command, handle)
      end.peer?.tellEncryption(.pinOrKeyMissing)
    }
    return nil
  }
}

extension LinkEnd {
  /// Puts the central's wish before the peripheral's host.
  fileprivate func askForKey(_ randomNumber: UInt64, _ diversifier: UInt16, _ key: [UInt8]) {
    guard let peer, let controller = peer.controller else { return }
    guard controller.allows(.longTermKeyRequest) else {
      tellEncryption(.pinOrKeyMissing)
      return
    }
    peer.keyRequest = KeyRequest(key: key)
    controller.emit(
      LELongTermKeyRequest(
        handle: peer.handle, randomNumber: randomNumber, encryptedDiversifier: diversifier))
  }

  fileprivate func tellEncryption(_ status: HCIErrorCode) {
    controller?.emit(
      EncryptionChange(status: status, handle: handle, enabled: status == .success ? 1 : 0))
  }
}

extension ByteReader {
  fileprivate mutating func readKey() -> [UInt8]? {
    guard let bytes = readBytes(16) else { return nil }
    return (0..<bytes.count).map { bytes[$0] }
  }
}
