import EightBall
import Expectations

@testable import BluetoothHost
@testable import eightball

@Suite("Devices that a scan hears")
struct NearbyDeviceTests {
  private static let ball: [UInt8] =
    [2, 0x01, 0x06, 17, 0x07]
    + [
      0x1E, 0x8D, 0x69, 0xB5, 0xC4, 0x4F, 0x55, 0x89, 0x90, 0x40, 0xBE, 0x27, 0x0A, 0x14, 0x38,
      0x8E,
    ]
  private static func name(_ text: String, isComplete: Bool = true) -> [UInt8] {
    [UInt8(text.utf8.count + 1), isComplete ? 0x09 : 0x08] + Array(text.utf8)
  }

  /// A report: the kind (0: connectable, 2: scannable, 3: neither, 4: scan response), the last byte
  /// of the address, and the data.
  private static func take(
    _ kind: UInt8, _ device: UInt8, _ data: [UInt8], at time: UInt64, _ devices: inout NearbyDevices
  ) -> NearbyDevice? {
    let bytes = [kind, 0, device, 0, 0, 0, 0, 0xF0, UInt8(data.count)] + data + [0xCE]
    var reader = ByteReader(bytes.span)
    guard let report = AdvertisingReport(legacy: &reader) else { return nil }
    return devices.news(in: report, at: Instant(rawValue: time))
  }

  @Test("A device is reported with its scan response, or without it after 500 ms")
  func scanResponse() throws {
    var devices = NearbyDevices()
    expect(Self.take(0, 1, Self.ball, at: 0, &devices) == nil)
    let ball = try #require(Self.take(4, 1, Self.name("Kitchen"), at: 10, &devices))
    expect(ball.isBall && ball.name == "Kitchen" && ball.isConnectable && ball.rssi == -50)
    expect(Self.take(2, 2, [], at: 100, &devices) == nil)
    expect(devices.deadline, is: Instant(rawValue: 600))
    expect(devices.takeDue(at: Instant(rawValue: 599)) == nil)
    expect(devices.takeDue(at: Instant(rawValue: 600))?.name, is: nil)
    expect(devices.takeDue(at: Instant(rawValue: 600)) == nil && devices.deadline == nil)
    // One that answers no scan requests is reported at once.
    expect(Self.take(3, 3, [], at: 700, &devices)?.isConnectable, is: false)
  }

  @Test(
    "The interval of a train is in milliseconds, rounded",
    // 6 × 1.25 ms = 7.5 ms, 7 × 1.25 ms = 8.75 ms.
    arguments: [(6, 8), (7, 9), (8, 10), (800, 1_000)] as [(UInt16, UInt32)])
  func trains(units: UInt16, milliseconds: UInt32) {
    // Not connectable; an address, the PHYs, set 0, no power, −50 dBm; the interval; no target, no data.
    let bytes: [UInt8] =
      [0, 0, 0, 1, 0, 0, 0, 0, 0xF0, 1, 1, 0, 0x7F, 0xCE, UInt8(units & 0xFF), UInt8(units >> 8)]
      + [0, 0, 0, 0, 0, 0, 0, 0]
    var reader = ByteReader(bytes.span)
    var devices = NearbyDevices()
    guard let report = AdvertisingReport(extended: &reader) else { return expect(false) }
    expect(devices.merge(report).trainInterval, is: milliseconds)
  }

  @Test("A device is reported again only with more data than before")
  func changes() {
    var devices = NearbyDevices()
    expect(Self.take(3, 1, Self.name("Kit", isComplete: false), at: 0, &devices)?.name, is: "Kit")
    expect(Self.take(3, 1, Self.name("Kit", isComplete: false), at: 1, &devices) == nil)
    expect(Self.take(3, 1, Self.name("Kitchen"), at: 2, &devices)?.name, is: "Kitchen")
    expect(Self.take(3, 1, Self.name("Kit", isComplete: false), at: 3, &devices) == nil)
    let services = Self.take(3, 1, [3, 0x03, 0x0F, 0x18], at: 4, &devices)?.services
    expect(services, is: [BluetoothUUID(0x180F)])
    expect(Self.take(3, 1, [3, 0xFF, 0xFF, 0xFF], at: 5, &devices) != nil)
    expect(Self.take(3, 1, [3, 0xFF, 0xFE, 0xFF], at: 6, &devices) == nil)
    // A name that is not UTF-8 is none; cut data are ignored.
    expect(Self.take(3, 2, [2, 0x09, 0xFF, 9, 0x09], at: 7, &devices)?.name, is: nil)
  }

  @Test(
    "The attributes of a ball are found by their UUIDs, and the answer's descriptors by its end")
  func attributes() {
    func characteristic(
      _ uuid: BluetoothUUID, _ handle: UInt16, _ properties: GATTProperties
    ) -> RemoteCharacteristic {
      RemoteCharacteristic(
        uuid: uuid, properties: properties, declaration: AttributeHandle(rawValue: handle),
        value: AttributeHandle(rawValue: handle + 1))
    }
    var ball = FoundBall()
    ball.service = AttributeHandleRange(start: .first, end: AttributeHandle(rawValue: 20))
    ball.note(characteristic(.question, 2, .write))
    ball.note(characteristic(.answer, 4, .notify))
    expect(ball.descriptors?.start.rawValue == 6 && ball.descriptors?.end.rawValue == 20)
    ball.note(characteristic(.deviceName, 9, .read))
    expect(ball.descriptors?.end.rawValue, is: 8)
    expect(ball.question?.value.rawValue == 3 && ball.answer?.value.rawValue == 5)
    expect(ball.subscription, is: .notification)
    ball.answer?.properties = .indicate
    expect(ball.subscription, is: .indication)
    ball.answer?.properties = .read
    expect(ball.subscription, is: nil)
    ball.answerEnd = ball.answer?.value
    expect(ball.descriptors, is: nil)
  }
}
