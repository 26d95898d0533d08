/// How a peripheral answers LE signalling: it opens no channels, so it refuses, and never with
/// silence.
///
/// Core Specification, Vol 3, Part A, 4.
enum SignallingResponder {
  /// Writes the response to the command in `payload`; nothing if it is itself a response.
  static func respond(to payload: Span<UInt8>, response: inout ByteWriter) {
    guard let command = SignallingCommand(payload), command.identifier != 0 else { return }
    switch command.code {
    case .commandReject, .disconnectionResponse, .connectionParameterUpdateResponse,
      .leCreditBasedConnectionResponse, .flowControlCredit, .creditBasedConnectionResponse,
      .creditBasedReconfigureResponse:
      return
    default:
      break
    }
    let data = command.data
    guard command.isComplete else {
      reject(command.identifier, to: &response)
      return
    }
    switch command.code {
    case .leCreditBasedConnectionRequest where data.count == 10:
      // Channel, MTU, MPS and credits, all 0; result 0x0002: no such SPSM.
      SignallingCommand.writeHeader(
        .leCreditBasedConnectionResponse, identifier: command.identifier, length: 10,
        to: &response)
      response.write(UInt64(0))
      response.write(UInt16(0x0002))
    case .creditBasedConnectionRequest where data.count >= 10 && data.count <= 18:
      // MTU, MPS and credits 0; result 0x0002: no such SPSM; a channel of 0 for each asked for.
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
      // Reason 0x0002: no such channel, with both its numbers.
      SignallingCommand.writeHeader(
        .commandReject, identifier: command.identifier, length: 6, to: &response)
      response.write(UInt16(0x0002))
      response.write(data)
    default:
      reject(command.identifier, to: &response)
    }
  }

  /// Reason 0x0000: not understood.
  private static func reject(_ identifier: UInt8, to response: inout ByteWriter) {
    SignallingCommand.writeHeader(.commandReject, identifier: identifier, length: 2, to: &response)
    response.write(UInt16(0x0000))
  }

  /// Asks the central for other connection parameters.
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
