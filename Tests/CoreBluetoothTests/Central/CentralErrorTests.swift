import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

/// Apple documents the codes of `CBError` and `CBATTError`; HCI errors are numbered in the Core
/// Specification, Vol 1, Part F, 1.3.
@Suite("Reasons of controllers and servers in Apple's terms")
struct CentralErrorTests {
  private static let allCodes = (UInt8.min...UInt8.max).map(HCIErrorCode.init(rawValue:))

  /// The code of a `CBError`, or the negative of that of a `CBATTError`.
  private func number(_ error: any Error) -> Int {
    switch error {
    case let error as CBError: error.code.rawValue
    case let error as CBATTError: -error.code.rawValue
    default: Int.min
    }
  }

  @Test("the end of an open link")
  func linkEnds() {
    let expected: [UInt8: CBError.Code] = [
      0x13: .peripheralDisconnected,  // Remote User Terminated Connection
      0x14: .peripheralDisconnected,  // Remote Device Terminated due to Low Resources
      0x15: .peripheralDisconnected,  // Remote Device Terminated due to Power Off
      0x08: .connectionTimeout,  // Connection Timeout
      0x22: .connectionTimeout,  // LL Response Timeout
      0x16: .connectionTimeout,  // Connection Terminated by Local Host
      0x1F: .connectionTimeout,  // Unspecified Error
      0x3E: .connectionFailed,  // Connection Failed to be Established
      0x06: .peerRemovedPairingInformation,  // PIN or Key Missing
    ]
    for code in Self.allCodes {
      #expect(
        CBError(LinkEnd.disconnected(code)).code == expected[code.rawValue] ?? .unknown,
        "HCI error \(code.rawValue)")
    }
    #expect(CBError(LinkEnd.radioLost).code == .connectionFailed)
  }

  @Test("a link that cannot be made")
  func attemptFails() {
    let full: Set<UInt8> = [
      0x07,  // Memory Capacity Exceeded
      0x09,  // Connection Limit Exceeded
      0x0D,  // Connection Rejected due to Limited Resources
    ]
    for code in Self.allCodes {
      #expect(
        CBError(LinkEnd.refused(code)).code
          == (full.contains(code.rawValue) ? .connectionLimitReached : .connectionFailed),
        "HCI error \(code.rawValue)")
    }
  }

  @Test("a link that cannot be encrypted")
  func encryptionFails() {
    for code in Self.allCodes {
      let expected: (error: Int, end: CBError.Code) =
        switch code.rawValue {
        case 0x06:
          (
            CBError.Code.peerRemovedPairingInformation.rawValue, .peerRemovedPairingInformation
          )
        case 0x08, 0x22: (CBError.Code.encryptionTimedOut.rawValue, .encryptionTimedOut)
        // Insufficient Encryption is 0x0F. The link ends as if it were lost.
        default: (-0x0F, .connectionTimeout)
        }
      #expect(number(code.encryptionError) == expected.error, "HCI error \(code.rawValue)")
      #expect(
        number(OperationError.encryptionFailed(code).publicError) == expected.error,
        "HCI error \(code.rawValue)")
      #expect(
        CBError(LinkEnd.encryptionFailed(code)).code == expected.end,
        "HCI error \(code.rawValue)")
    }
  }

  @Test("an operation that fails")
  func operations() {
    func refused(_ code: UInt8) -> OperationError {
      .refused(
        ErrorResponse(
          request: .readRequest, handle: AttributeHandle(rawValue: 1),
          code: ATTErrorCode(rawValue: code)))
    }
    // A server's own code is kept, known or not.
    for code in UInt8(1)...UInt8.max {
      #expect(number(refused(code).publicError) == -Int(code))
    }
    let cases: [(String, OperationError, Int)] = [
      ("a value of more than 512 bytes", .tooLong(limit: 512), -0x0D),
      ("a response with a longer value", .wrongResponse(.valueTooLong), -0x0D),
      (
        "a Prepare Write Response with another value", .wrongResponse(.echoDiffers(offset: 0)),
        -0x0E
      ),
      ("a malformed response", .wrongResponse(.malformed(.readResponse)), -0x04),
      ("no response", .timedOut, CBError.Code.connectionTimeout.rawValue),
      ("no link", .disconnected, CBError.Code.notConnected.rawValue),
    ]
    for (label, error, expected) in cases {
      #expect(number(error.publicError) == expected, "\(label)")
    }
  }

  @Test("a channel that cannot be opened, or ends")
  func channels() {
    func refused(_ result: UInt16) -> ChannelEnd {
      .refused(LECreditBasedConnectionResult(rawValue: result))
    }
    // Results: Core Specification, Vol 3, Part A, 4.23, table 4.17.
    let cases: [(String, ChannelEnd, Int, isOrderly: Bool)] = [
      ("no such SPSM", refused(0x0002), 0, false),
      ("no resources", refused(0x0004), 11, false),
      ("authentication", refused(0x0005), -0x05, false),
      ("authorization", refused(0x0006), -0x08, false),
      ("key size", refused(0x0007), -0x0C, false),
      ("encryption", refused(0x0008), -0x0F, false),
      ("another result", refused(0x000B), 0, false),
      ("no signalling", .rejected, 13, false),
      ("no response", .timedOut, 6, false),
      ("the radio was lost", .linkLost(.hardwareFailure), 10, false),
      ("the peer ended the link", .linkLost(.remoteUserTerminatedConnection), 7, false),
      ("the link was lost", .linkLost(.connectionTimeout), 6, false),
      ("this side ended the link", .linkLost(.connectionTerminatedByLocalHost), 6, true),
      ("this side closed the channel", .closed, 5, true),
      ("the peer closed the channel", .closedByPeer, 7, true),
      ("an invalid response", .invalidResponse, 0, false),
      ("a frame too many", .frameWithoutCredit, 0, false),
      ("too many credits", .tooManyCredits, 0, false),
      ("a long frame", .frameTooLong, 0, false),
      ("a short frame", .frameTooShort, 0, false),
      ("a long SDU", .sduTooLong, 0, false),
      ("an SDU of another length", .sduOverrun, 0, false),
      ("an invalid SDU", .invalidSDU, 0, false),
    ]
    for (label, end, expected, isOrderly) in cases {
      #expect(number(end.publicError) == expected, "\(label)")
      #expect(end.isOrderly == isOrderly, "\(label)")
    }
    #expect(
      "\(refused(0x000B).publicError.localizedDescription)"
        == "The peer refuses the channel with result 11.")
  }

  @Test("a pairing that fails")
  func pairings() {
    let cases: [(String, PairingOutcome, Int?)] = [
      ("success", .paired(nil), nil),
      ("this device ended it", .failed(.unspecifiedReason), -0x05),
      ("the peer ended it", .refused(.unspecifiedReason), -0x05),
      ("the peer gave no answer", .timedOut, CBError.Code.encryptionTimedOut.rawValue),
      ("the link ended", .linkLost, CBError.Code.peripheralDisconnected.rawValue),
      (
        "the peer has no key", .encryptionFailed(.pinOrKeyMissing),
        CBError.Code.peerRemovedPairingInformation.rawValue
      ),
    ]
    for (label, outcome, expected) in cases {
      #expect(outcome.publicError.map(number) == expected, "\(label)")
    }
  }

  @Test("each code has Apple's sentence")
  func sentences() {
    let errors = [
      "Unknown error.", "One or more parameters were invalid.", "The handle is invalid.",
      "The specified device is not connected.", "The device has run out of space.",
      "The operation was cancelled.", "The connection has timed out unexpectedly.",
      "The specified device has disconnected from us.",
      "The specified UUID is not allowed for this operation.", "Advertising has already started.",
      "The connection has failed unexpectedly.",
      "The maximum number of connections has been reached.", "The device is unknown.",
      "The operation is not supported.", "Peer removed pairing information.",
      "Failed to encrypt the connection, the connection has timed out unexpectedly.",
      "Too many LE paired devices.", "Exceeded the background notification limit.",
      "Near the background notification limit.",
    ]
    for (number, sentence) in (errors + ["Unknown error 19."]).enumerated() {
      #expect(CBError.Code(rawValue: number)?.sentence == sentence)
    }
    let responses = [
      "Success.", "The handle is invalid.", "Reading is not permitted.",
      "Writing is not permitted.", "The command is invalid.", "Authentication is insufficient.",
      "The request is not supported.", "The offset is invalid.", "Authorization is insufficient.",
      "Prepare queue is full.", "The attribute could not be found.", "The attribute is not long.",
      "The encryption key size is insufficient.", "The value's length is invalid.",
      "Unlikely error.", "Encryption is insufficient.", "The group type is unsupported.",
      "Resources are insufficient.",
    ]
    for (number, sentence) in (responses + ["Unknown ATT error 0x12."]).enumerated() {
      #expect(CBATTError.Code(rawValue: number)?.sentence == sentence)
    }
  }
}
