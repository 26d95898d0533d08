/// The code of a signalling command. Core Specification, Vol 3, Part A, 4. An open set: a peer may
/// send any byte.
public struct SignallingCode: RawRepresentable, Equatable, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Rejects a command: 4.1.
  public static let commandReject = SignallingCode(rawValue: 0x01)
  /// Requests the end of a channel: 4.6.
  public static let disconnectionRequest = SignallingCode(rawValue: 0x06)
  /// Confirms the end of a channel: 4.7.
  public static let disconnectionResponse = SignallingCode(rawValue: 0x07)
  /// Requests other connection parameters for a peripheral: 4.20.
  public static let connectionParameterUpdateRequest = SignallingCode(rawValue: 0x12)
  /// Answers that request: 4.21.
  public static let connectionParameterUpdateResponse = SignallingCode(rawValue: 0x13)
  /// Requests a channel: 4.22.
  public static let leCreditBasedConnectionRequest = SignallingCode(rawValue: 0x14)
  /// Answers that request: 4.23.
  public static let leCreditBasedConnectionResponse = SignallingCode(rawValue: 0x15)
  /// Gives credits for a channel: 4.24.
  public static let flowControlCredit = SignallingCode(rawValue: 0x16)
  /// Requests several channels: 4.25.
  public static let creditBasedConnectionRequest = SignallingCode(rawValue: 0x17)
  /// Answers that request: 4.26.
  public static let creditBasedConnectionResponse = SignallingCode(rawValue: 0x18)
  /// Requests changes to channels: 4.27.
  public static let creditBasedReconfigureRequest = SignallingCode(rawValue: 0x19)
  /// Answers that request: 4.28.
  public static let creditBasedReconfigureResponse = SignallingCode(rawValue: 0x1A)

  /// The command's name in the specification; `nil` for a value that is not listed here.
  public var name: StaticString? {
    switch self {
    case .commandReject: "Command Reject"
    case .disconnectionRequest: "Disconnection Request"
    case .disconnectionResponse: "Disconnection Response"
    case .connectionParameterUpdateRequest: "Connection Parameter Update Request"
    case .connectionParameterUpdateResponse: "Connection Parameter Update Response"
    case .leCreditBasedConnectionRequest: "LE Credit Based Connection Request"
    case .leCreditBasedConnectionResponse: "LE Credit Based Connection Response"
    case .flowControlCredit: "Flow Control Credit Indication"
    case .creditBasedConnectionRequest: "Credit Based Connection Request"
    case .creditBasedConnectionResponse: "Credit Based Connection Response"
    case .creditBasedReconfigureRequest: "Credit Based Reconfigure Request"
    case .creditBasedReconfigureResponse: "Credit Based Reconfigure Response"
    default: nil
    }
  }
}

/// A signalling command: its code, its identifier and its data, without a copy.
/// Core Specification, Vol 3, Part A, 4. On LE one frame carries one command.
public struct SignallingCommand: ~Escapable {
  /// The command's code.
  public var code: SignallingCode
  /// Its identifier, which a response repeats; never 0 in a valid command.
  public var identifier: UInt8
  /// The data after the header.
  public var data: Span<UInt8>
  /// Whether the data's length is the one in the header.
  public var isComplete: Bool

  /// Reads a frame's payload; `nil` without a code and an identifier.
  @_lifetime(copy payload) public init?(_ payload: Span<UInt8>) {
    var reader = ByteReader(payload)
    guard let code = reader.readUInt8(), let identifier = reader.readUInt8() else { return nil }
    self.code = SignallingCode(rawValue: code)
    self.identifier = identifier
    if let length = reader.readUInt16() {
      isComplete = reader.count == Int(length)
    } else {
      isComplete = false
    }
    data = reader.readRemaining()
  }

  /// Writes a command's header; `length` bytes of data follow.
  public static func writeHeader(
    _ code: SignallingCode, identifier: UInt8, length: Int, to writer: inout ByteWriter
  ) {
    writer.write(code.rawValue)
    writer.write(identifier)
    writer.write(UInt16(truncatingIfNeeded: length))
  }
}

/// Answers LE signalling commands, in either role, for a host without channels: it refuses each
/// request for one. Core Specification, Vol 3, Part A, 4.
package enum Signalling {
  /// Writes the response to the command in `payload`; nothing for a response.
  ///
  /// - Returns: The connection parameters that the controller should use from now on; `nil` for no
  ///   change.
  package static func respond(
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
    default: break
    }
    let data = command.data
    guard command.isComplete else {
      reject(command.identifier, to: &response)
      return nil
    }
    switch command.code {
    case .connectionParameterUpdateRequest
    where isCentral && data.count == ConnectionParameters.length:
      // Only a peripheral may send it: 4.20. Result 0x0000: accepted; 0x0001: rejected.
      var reader = ByteReader(data)
      guard let parameters = ConnectionParameters(&reader) else { return nil }
      let isAccepted = parameters.areAcceptable
      SignallingCommand.writeHeader(
        .connectionParameterUpdateResponse, identifier: command.identifier, length: 2, to: &response
      )
      response.write(UInt16(isAccepted ? 0x0000 : 0x0001))
      return isAccepted ? parameters : nil
    case .leCreditBasedConnectionRequest where data.count == LECreditBasedConnectionRequest.length:
      LECreditBasedConnectionResponse(error: .spsmNotSupported).write(
        identifier: command.identifier, to: &response)
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
    case .disconnectionRequest where data.count == DisconnectionRequest.length:
      // Reason 0x0002: no such channel, with both its CIDs.
      SignallingCommand.writeHeader(
        .commandReject, identifier: command.identifier, length: 6, to: &response)
      response.write(UInt16(0x0002))
      response.write(data)
    default: reject(command.identifier, to: &response)
    }
    return nil
  }

  /// Writes a Command Reject with reason 0x0000, command not understood.
  private static func reject(_ identifier: UInt8, to response: inout ByteWriter) {
    SignallingCommand.writeHeader(.commandReject, identifier: identifier, length: 2, to: &response)
    response.write(UInt16(0x0000))
  }

  /// Requests other connection parameters from the central:
  /// Core Specification, Vol 3, Part A, 4.20.
  static func writeUpdateRequest(
    _ parameters: ConnectionParameters, identifier: UInt8, to writer: inout ByteWriter
  ) {
    SignallingCommand.writeHeader(
      .connectionParameterUpdateRequest, identifier: identifier,
      length: ConnectionParameters.length, to: &writer)
    parameters.write(to: &writer)
  }
}

/// The queue of short frames to one peer outside of the attribute protocol: responses of signalling
/// and pairing. Each is at most 23 bytes and fits one ACL packet. The queue has room for a few; if
/// a peer sends requests faster than its link carries responses, some remain unanswered.
struct ControlFrames: ~Copyable {
  private var buffer = ByteBuffer<108>()
  private var position = 0

  init() {}

  /// Whether the queue is empty.
  var isEmpty: Bool { buffer.isEmpty }

  mutating func removeAll() {
    buffer.removeAll()
    position = 0
  }

  /// Adds a frame for `channel` with what `body` writes; nothing if that is empty.
  mutating func append(_ channel: L2CAPChannel, _ body: (inout ByteWriter) -> Void) {
    var frame = ByteBuffer<27>()
    var length = 0
    frame.write { writer in
      writer.write(UInt16(0))
      writer.write(channel.rawValue)
      body(&writer)
      length = writer.count - L2CAPFrame.headerLength
    }
    guard length > 0 else { return }
    frame.adjust(by: length, at: 0)
    _ = buffer.append(frame.span)
  }

  /// Writes the first frame as an ACL packet; `false` if there is none.
  @inline(never) mutating func writePacket(_ handle: ConnectionHandle, to writer: inout ByteWriter)
    -> Bool
  {
    let length = frameLength
    guard length > 0 else { return false }
    ACLHeader(handle: handle, boundary: .firstNonFlushable).writePacket(
      buffer.span.extracting(position..<position + length), to: &writer)
    position += length
    if position == buffer.count { removeAll() }
    return true
  }

  /// The length of the first frame with its header; 0 if there is none.
  private var frameLength: Int {
    var reader = ByteReader(buffer.span.extracting(position..<buffer.count))
    guard let payload = reader.readUInt16(),
      reader.count + 2 >= L2CAPFrame.headerLength + Int(payload)
    else { return 0 }
    return L2CAPFrame.headerLength + Int(payload)
  }
}
