import CoreBluetooth
import Foundation
import Testing

@Suite("Errors of CoreBluetooth")
struct CBErrorTests {
  @Test("are caught by their code, and are NSErrors")
  func catching() {
    do {
      throw CBATTError(.unlikelyError)
    } catch CBATTError.unlikelyError {
    } catch {
      Issue.record("not caught: \(error)")
    }
    let error = CBError(.connectionTimeout) as NSError
    #expect(error.domain == "CBErrorDomain")
    #expect(error.code == 6)
    #expect(error.localizedDescription == "The connection has timed out unexpectedly.")
  }

  @Test("with an application's code keep their number")
  func applicationError() {
    let code = CBATTError.Code(rawValue: 0x80)
    #expect((code.map { CBATTError($0) as NSError })?.code == 0x80)
  }

  @Test("are made from an NSError by a forced cast")
  func forced() {
    var response: CBATTError?
    CBATTError._forceBridgeFromObjectiveC(CBATTError(.invalidHandle) as NSError, result: &response)
    #expect(response == CBATTError(.invalidHandle))
    var error: CBError?
    CBError._forceBridgeFromObjectiveC(CBError(.notConnected) as NSError, result: &error)
    #expect(error == CBError(.notConnected))
  }

  @Test("survive as an NSError and back, with their user information")
  func bridging() throws {
    let error: any Error = CBError(.connectionTimeout, userInfo: ["peripheral": "Ball"])
    let bridged = error as NSError
    #expect(bridged.domain == CBErrorDomain)
    #expect(bridged.userInfo["peripheral"] as? String == "Ball")
    #expect(bridged.localizedDescription == "The connection has timed out unexpectedly.")
    let back = try #require((bridged as any Error) as? CBError)
    #expect(back.code == .connectionTimeout)
    #expect(back.userInfo["peripheral"] as? String == "Ball")
    #expect(back == CBError(.connectionTimeout))
    #expect(Set([back, CBError(.connectionTimeout), CBError(.unknown)]).count == 2)
    #expect((bridged as any Error) as? CBATTError == nil)
    do {
      throw NSError(domain: CBATTErrorDomain, code: 0x80)
    } catch let error as CBATTError {
      #expect(error.code == CBATTError.Code(rawValue: 0x80))
      #expect(error.errorDescription == "Unknown ATT error 0x80.")
    }
    do {
      throw NSError(domain: CBErrorDomain, code: 7)
    } catch CBError.peripheralDisconnected {
    }
    #expect(NSError(domain: NSCocoaErrorDomain, code: 7) as any Error as? CBError == nil)
    #expect(CBError(_nsError: bridged).errorCode == 6)
  }

  @Test("print as an NSError does on Apple's systems")
  func printing() {
    #expect(
      "\(CBATTError(.invalidHandle))"
        == "Error Domain=CBATTErrorDomain Code=1 \"The handle is invalid.\" "
        + "UserInfo={NSLocalizedDescription=The handle is invalid.}")
    let own = CBError(.unknown, userInfo: [NSLocalizedDescriptionKey: "Out of questions."])
    #expect(own.localizedDescription == "Out of questions.")
  }

  @Test("have codes for every number")
  func anyNumber() throws {
    for number in [-1, 0x12, 0x80, 0x9F, 0xFF, 0x100, Int.max, Int.min] {
      let code = try #require(CBATTError.Code(rawValue: number))
      #expect(code.rawValue == number)
      #expect(code == CBATTError.Code(rawValue: number))
      #expect(code != .success)
      #expect(CBError.Code(rawValue: number)?.rawValue == number)
    }
    for number in 0...0x11 {
      let code = try #require(CBATTError.Code(rawValue: number))
      #expect(code.rawValue == number)
      #expect(!"\(code)".hasPrefix("other"), "\(number) has a name")
    }
    for number in 0...18 {
      let code = try #require(CBError.Code(rawValue: number))
      #expect(code.rawValue == number)
      #expect(!"\(code)".hasPrefix("other"), "\(number) has a name")
    }
    #expect(CBATTError.Code(rawValue: 0x0E) == .unlikelyError)
    #expect(CBError.Code(rawValue: 12) == .unkownDevice)
    #expect(CBError.Code(rawValue: 19)?.rawValue == 19)
  }
}
