/// Answers LE signalling commands, in either role, for a host without channels: it refuses each
/// request for one.
///
/// Core Specification, Vol 3, Part A, 4.
enum Signalling {
  /// Writes the response to the command in `payload`; nothing for a response.
  ///
  /// - Returns: The connection parameters that the controller should use from now on; `nil` for no
  ///   change.
  static func respond(
    to payload: Span<UInt8>, isCentral: Bool, response: inout ByteWriter
  ) -> ConnectionParameters? {
    guard let command = SignallingCommand(payload), command.identifier != 0 else { return nil }
    switch command.code {
    // A response is never rejected, even without a request: 4.1. Credits for an unknown channel are
    // ignored, since an indication has no response: 4.24.
    case .commandReject, .disconnectionResponse, .connectionParameterUpdateResponse,
      .leCreditBasedConnectionResponse, .flowControlCredit, .creditBasedConnectionResponse,
      .creditBasedReconfigureResponse:
      return nil
    default:
      break
    }
    let data = command.data
    guard command.isComplete else {
      reject(command.identifier, to: &response)
      return nil
    }
    switch command.code {
    case .connectionParameterUpdateRequest where isCentral && data.count == 8:
      // Only a peripheral may send it: 4.20. Result 0x0000: accepted; 0x0001: rejected.
      var reader = ByteReader(data)
      guard let parameters = ConnectionParameters(&reader) else { return nil }
      let isAccepted = parameters.areAcceptable
      SignallingCommand.writeHeader(
        .connectionParameterUpdateResponse, identifier: command.identifier, length: 2,
        to: &response)
      response.write(UInt16(isAccepted ? 0x0000 : 0x0001))
      return isAccepted ? parameters : nil
    case .leCreditBasedConnectionRequest where data.count == 10:
      // Channel, MTU, MPS and credits, all 0; result 0x0002: no such SPSM.
      SignallingCommand.writeHeader(
        .leCreditBasedConnectionResponse, identifier: command.identifier, length: 10,
        to: &response)
      response.write(UInt64(0))
      response.write(UInt16(0x0002))
    case .creditBasedConnectionRequest where data.count >= 10 && data.count <= 18:
      // MTU, MPS and credits 0; result 0x0002: no such SPSM; a CID of 0 for each channel.
      let channels = (data.count - 8) / 2
      SignallingCommand.writeHeader(
        .creditBasedConnectionResponse, identifier: command.identifier, length: 8 + channels * 2,
        to: &response)
      response.write(UInt32(0))
      response.write(UInt16(0))
      response.write(UInt16(0x0002))
      for _ in 0..<channels { response.write(UInt16(0)) }
    case .creditBasedReconfigureRequest where data.count >= 6:
      // Result 0x0003: no such channel.
      SignallingCommand.writeHeader(
        .creditBasedReconfigureResponse, identifier: command.identifier, length: 2, to: &response)
      response.write(UInt16(0x0003))
    case .disconnectionRequest where data.count == 4:
      // Reason 0x0002: no such channel, with both its CIDs.
      SignallingCommand.writeHeader(
        .commandReject, identifier: command.identifier, length: 6, to: &response)
      response.write(UInt16(0x0002))
      response.write(data)
    default:
      reject(command.identifier, to: &response)
    }
    return nil
  }

  /// Writes a Command Reject with reason 0x0000, command not understood.
  private static func reject(_ identifier: UInt8, to response: inout ByteWriter) {
    SignallingCommand.writeHeader(.commandReject, identifier: identifier, length: 2, to: &response)
    response.write(UInt16(0x0000))
  }

  /// Requests other connection parameters from the central.
  ///
  /// Core Specification, Vol 3, Part A, 4.20.
  static func writeUpdateRequest(
    _ parameters: ConnectionParameters, identifier: UInt8, to writer: inout ByteWriter
  ) {
    SignallingCommand.writeHeader(
      .connectionParameterUpdateRequest, identifier: identifier, length: 8, to: &writer)
    parameters.write(to: &writer)
  }
}
