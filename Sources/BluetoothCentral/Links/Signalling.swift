import BluetoothHost

/// What a peer's signalling command asks of a central, and what it is answered.
///
/// Core Specification, Vol 3, Part A, 4.
enum Signalling {
  /// What to do.
  enum Reaction {
    /// Nothing.
    case ignore
    /// Send this.
    case answer([UInt8])
    /// Send this, and ask the controller for these parameters.
    case update([UInt8], ConnectionParameters)
  }

  private enum Code {
    static let reject: UInt8 = 0x01
    static let parameterUpdateRequest: UInt8 = 0x12
    static let parameterUpdateResponse: UInt8 = 0x13
    static let leCreditRequest: UInt8 = 0x14
    static let leCreditResponse: UInt8 = 0x15
    static let enhancedCreditRequest: UInt8 = 0x17
    static let enhancedCreditResponse: UInt8 = 0x18
    static let reconfigureResponse: UInt8 = 0x1A
  }

  /// No such service is offered here: 4.23.
  private static let spsmNotSupported: UInt16 = 0x0002

  /// Takes one frame of the signalling channel, which on LE carries one command.
  static func receive(_ frame: Span<UInt8>) -> Reaction {
    var reader = ByteReader(frame)
    guard let code = reader.readUInt8(), let identifier = reader.readUInt8(), identifier != 0,
      let length = reader.readUInt16()
    else { return .ignore }
    switch code {
    case Code.reject, Code.parameterUpdateResponse, Code.leCreditResponse,
      Code.enhancedCreditResponse, Code.reconfigureResponse:
      // Answers to what was never asked. A Command Reject is never answered: 4.1.
      return .ignore
    case Code.parameterUpdateRequest:
      guard let parameters = ConnectionParameters(&reader), length == 8, reader.isEmpty else {
        return .answer(reject(identifier))
      }
      let response = command(Code.parameterUpdateResponse, identifier) {
        $0.write(UInt16(parameters.areValid ? 0x0000 : 0x0001))
      }
      return parameters.areValid ? .update(response, parameters) : .answer(response)
    case Code.leCreditRequest:
      return .answer(
        command(Code.leCreditResponse, identifier) {
          // Channel, MTU, MPS and credits are of no meaning in a refusal.
          for _ in 0..<4 { $0.write(UInt16(0)) }
          $0.write(spsmNotSupported)
        })
    case Code.enhancedCreditRequest:
      return .answer(
        command(Code.enhancedCreditResponse, identifier) {
          for _ in 0..<3 { $0.write(UInt16(0)) }
          $0.write(spsmNotSupported)
        })
    default:
      return .answer(reject(identifier))
    }
  }

  /// Command Reject, reason 0x0000: command not understood.
  private static func reject(_ identifier: UInt8) -> [UInt8] {
    command(Code.reject, identifier) { $0.write(UInt16(0x0000)) }
  }

  private static func command(
    _ code: UInt8, _ identifier: UInt8, _ body: (inout ByteWriter) -> Void
  ) -> [UInt8] {
    // 4 of header, at most 10 of parameters here.
    [UInt8].written(upTo: 14) {
      $0.write(code)
      $0.write(identifier)
      $0.write(UInt16(0))
      body(&$0)
      $0.patch(UInt16(truncatingIfNeeded: $0.count - 4), at: 2)
    }
  }
}
