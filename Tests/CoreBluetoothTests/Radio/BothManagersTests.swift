import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

/// Two devices, each with a central manager and a peripheral manager, whose value is its name.
struct BothManagersTests {
  private let service = CBUUID(string: "A000")

  private func publisher(_ radio: CBRadio, _ name: String, isAdvertised: Bool) throws -> Publisher {
    let value = CBMutableCharacteristic(
      type: CBUUID(string: "A001"), properties: .read, value: nil, permissions: .readable)
    return try Publisher(radio, [value], as: service, isAdvertised: isAdvertised) {
      $0.answerReads { _ in Data(name.utf8) }
    }
  }

  @Test func twoDevicesAskEachOtherOverOneLink() throws {
    let path = AirPath()
    let radios = (0..<2).map { _ in path.radio() }
    let publishers = [
      try publisher(radios[0], "first", isAdvertised: true),
      try publisher(radios[1], "second", isAdvertised: false),
    ]
    let (first, second) = (try Visitor(radios[0]), try Visitor(radios[1]))
    // The second connects to the first and reads its value.
    try second.connect(to: service)
    let value = try second.characteristics(in: service)[0]
    expect(try second.read(value), is: "value A001 first")
    // The first reads back. The reader of its value has the same identifier.
    try first.connect(to: try #require(publishers[0].log.requests.first?.central.identifier))
    expect(try first.read(first.characteristics(in: service)[0]), is: "value A001 second")
    for radio in radios {
      let counts = Inbox<Int>()
      radio.perform { counts.put($0.host.connectionCount) }
      expect(try counts.take(), is: 1)
    }
    // The first leaves a link that it did not make. The second keeps it.
    try first.leave()
    expect(try second.read(value), is: "value A001 first")
    // The first uses the same link again, and loses it when the second leaves.
    try first.connect()
    expect(try first.read(first.characteristics(in: service)[0]), is: "value A001 second")
    try second.leave()
    expect(try first.log.lines.take("disconnected").hasSuffix("CBError.peripheralDisconnected"))
    for radio in radios { radio.close() }
  }
}
