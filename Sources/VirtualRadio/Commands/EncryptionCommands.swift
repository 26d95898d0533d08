import BluetoothHost

/// The hosts' commands for encryption. EncryptionProcedure.swift has the procedure on the link.
extension VirtualController {
  func performEncryption(
    _ opcode: HCIOpcode, _ command: CommandDefinition, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    var handleReader = reader
    guard let handle = ConnectionHandle(&handleReader), let end = link(handle) else {
      return .unknownConnectionIdentifier
    }
    switch opcode {
    case .leEnableEncryption:
      guard let request = LEEnableEncryption(&reader) else { return .invalidCommandParameters }
      guard end.role == .central, end.encryptionStart == nil else { return .commandDisallowed }
      accept(command)
      startEncryption(of: end, request)
    case .leLongTermKeyRequestReply:
      guard let request = LELongTermKeyRequestReply(&reader) else {
        return .invalidCommandParameters
      }
      guard end.isAskedForKey else { return .commandDisallowed }
      succeed(command, handle)
      answer(end, faults.change(request.key))
    default:
      guard end.isAskedForKey else { return .commandDisallowed }
      succeed(command, handle)
      answer(end, nil)
    }
    return nil
  }
}
