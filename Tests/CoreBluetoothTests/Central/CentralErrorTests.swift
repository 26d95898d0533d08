import BluetoothHost
import Expectations
import Foundation

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
      expect(
        CBError(LinkEnd.disconnected(code)).code, is: expected[code.rawValue] ?? .unknown,
        "HCI error \(code.rawValue)")
    }
    expect(CBError(LinkEnd.radioLost).code, is: .connectionFailed)
  }

  @Test("a link that cannot be made")
  func attemptFails() {
    let full: Set<UInt8> = [
      0x07,  // Memory Capacity Exceeded
      0x09,  // Connection Limit Exceeded
      0x0D,  // Connection Rejected due to Limited Resources
    ]
    for code in Self.allCodes {
      expect(
        CBError(LinkEnd.refused(code)).code,
        is: full.contains(code.rawValue) ? .connectionLimitReached : .connectionFailed,
        "HCI error \(code.rawValue)")
    }
  }

  @Test("a link that cannot be encrypted")
  func encryptionFails() {
    for code in Self.allCodes {
      let expected: (error: Int, end: CBError.Code) =
        switch code.rawValue {
        case 0x06:
          (CBError.Code.peerRemovedPairingInformation.rawValue, .peerRemovedPairingInformation)
        case 0x08, 0x22: (CBError.Code.encryptionTimedOut.rawValue, .encryptionTimedOut)
        // Insufficient Encryption is 0x0F. The link ends as if it were lost.
        default: (-0x0F, .connectionTimeout)
        }
      expect(number(code.encryptionError), is: expected.error, "HCI error \(code.rawValue)")
      expect(
        number(OperationError.encryptionFailed(code).publicError), is: expected.error,
        "HCI error \(code.rawValue)")
      expect(
        CBError(LinkEnd.encryptionFailed(code)).code, is: expected.end,
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
    for code in UInt8(1)...UInt8.max { expect(number(refused(code).publicError), is: -Int(code)) }
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
      expect(number(error.publicError), is: expected, "\(label)")
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
      expect(number(end.publicError), is: expected, "\(label)")
      expect(end.isOrderly, is: isOrderly, "\(label)")
    }
    expect(
      "\(refused(0x000B).publicError.localizedDescription)",
      is: "The peer refuses the channel with result 11.")
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
      expect(outcome.publicError.map(number), is: expected, "\(label)")
    }
  }

  @Test("each code has Apple's number, name and sentence")
  func codes() {
    let errors: [(CBError.Code, String)] = [
      (CBError.unknown, "Unknown error."),
      (CBError.invalidParameters, "One or more parameters were invalid."),
      (CBError.invalidHandle, "The handle is invalid."),
      (CBError.notConnected, "The specified device is not connected."),
      (CBError.outOfSpace, "The device has run out of space."),
      (CBError.operationCancelled, "The operation was cancelled."),
      (CBError.connectionTimeout, "The connection has timed out unexpectedly."),
      (CBError.peripheralDisconnected, "The specified device has disconnected from us."),
      (CBError.uuidNotAllowed, "The specified UUID is not allowed for this operation."),
      (CBError.alreadyAdvertising, "Advertising has already started."),
      (CBError.connectionFailed, "The connection has failed unexpectedly."),
      (CBError.connectionLimitReached, "The maximum number of connections has been reached."),
      (CBError.unknownDevice, "The device is unknown."),
      (CBError.operationNotSupported, "The operation is not supported."),
      (CBError.peerRemovedPairingInformation, "Peer removed pairing information."),
      (
        CBError.encryptionTimedOut,
        "Failed to encrypt the connection, the connection has timed out unexpectedly."
      ),
      (CBError.tooManyLEPairedDevices, "Too many LE paired devices."),
      (
        CBError.leGattExceededBackgroundNotificationLimit,
        "Exceeded the background notification limit."
      ),
      (CBError.leGattNearBackgroundNotificationLimit, "Near the background notification limit."),
    ]
    for (number, (code, sentence)) in errors.enumerated() {
      expect(code.rawValue == number && CBError.Code(rawValue: number) == code)
      expect(code.sentence, is: sentence)
      expect(!"\(code)".hasPrefix("other"), "\(number) has a name")
    }
    expect(CBError.Code(rawValue: 12), is: .unkownDevice)
    expect(CBError.Code(rawValue: 19)?.sentence, is: "Unknown error 19.")
    let responses: [(CBATTError.Code, String)] = [
      (CBATTError.success, "Success."), (CBATTError.invalidHandle, "The handle is invalid."),
      (CBATTError.readNotPermitted, "Reading is not permitted."),
      (CBATTError.writeNotPermitted, "Writing is not permitted."),
      (CBATTError.invalidPdu, "The command is invalid."),
      (CBATTError.insufficientAuthentication, "Authentication is insufficient."),
      (CBATTError.requestNotSupported, "The request is not supported."),
      (CBATTError.invalidOffset, "The offset is invalid."),
      (CBATTError.insufficientAuthorization, "Authorization is insufficient."),
      (CBATTError.prepareQueueFull, "Prepare queue is full."),
      (CBATTError.attributeNotFound, "The attribute could not be found."),
      (CBATTError.attributeNotLong, "The attribute is not long."),
      (CBATTError.insufficientEncryptionKeySize, "The encryption key size is insufficient."),
      (CBATTError.invalidAttributeValueLength, "The value's length is invalid."),
      (CBATTError.unlikelyError, "Unlikely error."),
      (CBATTError.insufficientEncryption, "Encryption is insufficient."),
      (CBATTError.unsupportedGroupType, "The group type is unsupported."),
      (CBATTError.insufficientResources, "Resources are insufficient."),
    ]
    for (number, (code, sentence)) in responses.enumerated() {
      expect(code.rawValue == number && CBATTError.Code(rawValue: number) == code)
      expect(code.sentence, is: sentence)
      expect(!"\(code)".hasPrefix("other"), "\(number) has a name")
    }
    expect(CBATTError.Code(rawValue: 0x12)?.sentence, is: "Unknown ATT error 0x12.")
    for number in [-1, 0x12, 0x80, 0x9F, 0xFF, 0x100, Int.max, Int.min] {
      expect(CBATTError.Code(rawValue: number)?.rawValue, is: number)
      expect(CBATTError.Code(rawValue: number) != .success)
      expect(CBError.Code(rawValue: number)?.rawValue, is: number)
    }
    let two: Set = [CBATTError(.invalidHandle), CBATTError(.readNotPermitted)]
    expect(two.count == 2 && two.contains(CBATTError(.invalidHandle)))
    expect(CBATTError(.invalidHandle).hashValue != CBATTError(.readNotPermitted).hashValue)
    expect(CBError(.unknown).hashValue != CBError(.notConnected).hashValue)
  }

  // MARK: As NSErrors

  @Test("errors are made from an NSError by a forced cast")
  func forced() {
    var response: CBATTError?
    CBATTError._forceBridgeFromObjectiveC(CBATTError(.invalidHandle) as NSError, result: &response)
    expect(response, is: CBATTError(.invalidHandle))
    var error: CBError?
    CBError._forceBridgeFromObjectiveC(CBError(.notConnected) as NSError, result: &error)
    expect(error, is: CBError(.notConnected))
  }

  @Test("errors survive as an NSError and back, with their user information and any code")
  func bridging() throws {
    do { throw CBATTError(.unlikelyError) } catch CBATTError.unlikelyError {}
    expect(CBATTError.Code(rawValue: 0x80).map { (CBATTError($0) as NSError).code }, is: 0x80)
    let error: any Error = CBError(.connectionTimeout, userInfo: ["peripheral": "Ball"])
    let bridged = error as NSError
    expect(bridged.domain == "CBErrorDomain" && CBErrorDomain == "CBErrorDomain")
    expect(bridged.code, is: 6)
    expect(bridged.userInfo["peripheral"] as? String, is: "Ball")
    expect(bridged.localizedDescription, is: "The connection has timed out unexpectedly.")
    let back = try #require((bridged as any Error) as? CBError)
    expect(back.code, is: .connectionTimeout)
    expect(back.userInfo["peripheral"] as? String, is: "Ball")
    expect(back, is: CBError(.connectionTimeout))
    expect(Set([back, CBError(.connectionTimeout), CBError(.unknown)]).count, is: 2)
    expect((bridged as any Error) as? CBATTError, is: nil)
    do {
      throw NSError(domain: CBATTErrorDomain, code: 0x80)
    } catch let error as CBATTError {
      expect(error.code, is: CBATTError.Code(rawValue: 0x80))
      expect(error.errorDescription, is: "Unknown ATT error 0x80.")
    }
    do {
      throw NSError(domain: CBErrorDomain, code: 7)
    } catch CBError.peripheralDisconnected {
    }
    expect(NSError(domain: NSCocoaErrorDomain, code: 7) as any Error as? CBError, is: nil)
    expect(CBError(_nsError: bridged).errorCode, is: 6)
  }

  @Test("errors print as an NSError does on Apple's systems")
  func printing() {
    expect(
      "\(CBATTError(.invalidHandle))",
      is: "Error Domain=CBATTErrorDomain Code=1 \"The handle is invalid.\" "
        + "UserInfo={NSLocalizedDescription=The handle is invalid.}")
    let own = CBError(.unknown, userInfo: [NSLocalizedDescriptionKey: "Out of questions."])
    expect(own.localizedDescription, is: "Out of questions.")
    expect(
      "\(own)",
      is: "Error Domain=CBErrorDomain Code=0 \"Out of questions.\" "
        + "UserInfo={NSLocalizedDescription=Out of questions.}")
  }
}
