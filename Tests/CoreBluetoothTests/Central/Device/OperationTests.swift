import BluetoothHost
import Expectations

@testable import CoreBluetooth

@Suite("Operations on a link")
struct OperationTests {
  @Test("finds characteristics and their last handles")
  func characteristics() {
    let (requests, outcome) = perform(
      .discoverCharacteristics(range(0x10, 0x16)),
      [
        [0x09, 7, 0x11, 0x00, 0x02, 0x12, 0x00, 0x00, 0x2A],
        [0x09, 7, 0x14, 0x00, 0x12, 0x15, 0x00, 0x01, 0x2A], [0x01, 0x08, 0x16, 0x00, 0x0A],
      ])
    expect(
      requests.map { Array($0[1...4]) },
      is: [[0x10, 0x00, 0x16, 0x00], [0x13, 0x00, 0x16, 0x00], [0x16, 0x00, 0x16, 0x00]])
    let name = FoundCharacteristic(
      uuid: .deviceName, properties: .read, declaration: handle(0x11), value: handle(0x12),
      end: handle(0x13))
    let appearance = FoundCharacteristic(
      uuid: .appearance, properties: .read | .notify, declaration: handle(0x14),
      value: handle(0x15), end: handle(0x16))
    expect(outcome, is: .success(.characteristics([name, appearance])))
    expect(name.descriptorRange, is: range(0x13, 0x13))
    expect(appearance.descriptorRange, is: range(0x16, 0x16))
    let last = FoundCharacteristic(
      uuid: .deviceName, properties: .read, declaration: handle(0xFFFE), value: handle(0xFFFF),
      end: handle(0xFFFF))
    expect(last.descriptorRange, is: nil)
  }

  @Test("prepares a long value and executes it")
  func longWrite() {
    let value = (0..<40).map { UInt8($0) }
    // 23 (MTU) − 5 (opcode, handle, offset) = 18 bytes a part; 40 = 18 + 18 + 4
    let parts = [
      [7, 0, 0, 0] + value[0..<18], [7, 0, 18, 0] + value[18..<36], [7, 0, 36, 0] + value[36...],
    ]
    let (requests, outcome) = perform(
      .write(handle(7), value), parts.map { [0x17] + $0 } + [[0x19]])
    expect(requests, is: parts.map { [0x16] + $0 } + [[0x18, 1]])
    expect(outcome, is: .success(.written))
  }

  /// 23 (MTU) − 3 (opcode, handle) = 20 bytes without response. In parts: 512 = 28 × 18 + 8, and
  /// one request executes them. A read ends with a part below 22 bytes: 512 = 23 × 22 + 6.
  @Test(
    "a value at the limit passes, and a longer one fails",
    arguments: [
      (.write(handle(7), value(512)), 30, nil),
      (.write(handle(7), value(513)), 0, .tooLong(limit: 512)),
      (.writeWithoutResponse(handle(7), value(20)), 1, nil),
      (.writeWithoutResponse(handle(7), value(21)), 0, .tooLong(limit: 20)),
      (.read(handle(512)), 24, nil), (.read(handle(513)), 24, .wrongResponse(.valueTooLong)),
    ] as [(PeerOperation, Int, OperationError?)])
  func limits(operation: PeerOperation, requests: Int, error: OperationError?) {
    let (central, radio, link) = connectedDevice()
    // A value is as long as its handle is high.
    radio.peer = { pdu in
      let part = { offset in value(Int(pdu[1]) + Int(pdu[2]) << 8).dropFirst(offset).prefix(22) }
      switch pdu[0] {
      case 0x0A: return [[0x0B] + part(0)]
      case 0x0C: return [[0x0D] + part(Int(pdu[3]) + Int(pdu[4]) << 8)]
      case 0x16: return [[0x17] + pdu.dropFirst()]
      default: return pdu[0] == 0x18 ? [[0x19]] : []
      }
    }
    let id = central.perform(operation, on: link)
    radio.run()
    expect(radio.frames.count, is: requests)
    switch radio.host.outcomes[id] {
    case .failure(let failure)?:
      expect(failure, is: error)
      expect((failure.publicError as? CBATTError)?.code, is: .invalidAttributeValueLength)
    case .success(.value(let read))?: expect(error == nil && read == value(512))
    case .success(let output)?: expect(error == nil && output == .written)
    case nil: Issue.record("it is not completed")
    }
  }

  @Test("operations are carried out in order, one request at a time")
  func order() {
    let (central, radio, link) = connectedDevice()
    var requests: [[UInt8]] = []
    radio.peer = {
      requests.append($0)
      return []
    }
    let ids = (1...3).map { central.perform(.read(handle($0)), on: link) }
    radio.run()
    for number in 1...3 as ClosedRange<UInt8> {
      expect(requests.count, is: Int(number))
      radio.givePDU([0x0B, number])
    }
    expect(
      radio.takeEvents(), is: zip(ids, 1...3).map { .completed($0, link, .success(.value([$1]))) })
  }
}

/// Bytes that each differ from the one 22 before.
private func value(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 & 0xFF) } }
