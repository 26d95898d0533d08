import CoreBluetooth
import Testing

/// Waits for the radio with key-value observing, as some apps do.
final class StateWatch: @unchecked Sendable {
  let manager: CBCentralManager
  private var observation: NSKeyValueObservation?
  private var scanning: NSKeyValueObservation?

  init(queue: DispatchQueue, _ body: @escaping (CBManagerState) -> Void) {
    manager = CBCentralManager(delegate: nil, queue: queue)
    observation = manager.observe(\.state, options: [.initial, .new]) { _, change in
      guard let state = change.newValue else { return }
      body(state)
    }
    scanning = manager.observe(\.isScanning) { manager, _ in print(manager.isScanning) }
  }

  func stop() {
    observation?.invalidate()
    scanning?.invalidate()
    observation = nil
  }
}

@Suite("Unchanged sources from Apple's systems")
struct PortedTests {
  @Test("key-value observing reports the powered-on radio", .timeLimit(.minutes(1)))
  func observing() async {
    let (states, continuation) = AsyncStream.makeStream(of: CBManagerState.self)
    let watch = StateWatch(queue: DispatchQueue(label: "app")) { continuation.yield($0) }
    for await state in states where state == .poweredOn { break }
    watch.stop()
    #expect(watch.manager.state == .poweredOn)
  }

  @Test("a switch over codes and states handles unnamed numbers in its default")
  func switches() throws {
    #expect(meaning(of: .connectionTimeout) == "the link was lost")
    #expect(meaning(of: try #require(CBError.Code(rawValue: 99))) == "99")
    #expect(isOn(.poweredOn) && !isOn(.unknown))
    #expect(name(of: try #require(CBATTError.Code(rawValue: 0x80))) == "application 128")
    #expect(name(of: .unlikelyError) == "unlikelyError")
  }

  /// With every case, like a switch that the compiler completed.
  private func name(of code: CBATTError.Code) -> String {
    switch code {
    case .success, .invalidHandle, .readNotPermitted, .writeNotPermitted, .invalidPdu,
      .insufficientAuthentication, .requestNotSupported, .invalidOffset,
      .insufficientAuthorization, .prepareQueueFull, .attributeNotFound, .attributeNotLong,
      .insufficientEncryptionKeySize, .invalidAttributeValueLength, .unlikelyError,
      .insufficientEncryption, .unsupportedGroupType, .insufficientResources:
      "\(code)"
    @unknown default:
      "application \(code.rawValue)"
    }
  }

  @Test("an error survives a cast to NSError and back")
  func errors() {
    let error: any Error = CBATTError(.insufficientEncryption, userInfo: ["handle": 3])
    let bridged = error as NSError
    #expect(bridged.domain == CBATTErrorDomain && bridged.code == 15)
    let wrapped: [any Error] = [
      bridged, CBError(_nsError: NSError(domain: CBErrorDomain, code: 7)),
    ]
    #expect((wrapped[0] as? CBATTError)?.code == .insufficientEncryption)
    #expect((wrapped[1] as? CBError)?.code == .peripheralDisconnected)
  }

  @Test("older names exist")
  func olderNames() {
    #expect(CBCentralManagerState(rawValue: CBManagerState.poweredOn.rawValue) == .poweredOn)
    #expect(CBPeripheralManagerState.unsupported.rawValue == 2)
    #expect("\(CBUUID(string: "180D"))" == "Heart Rate")
    let delegates: [NSObject] = [EveryCentralCall(), EveryPeripheralCall()]
    #expect(delegates.count == 2)
  }
}
