import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

/// A central, and peripherals whose values require an encrypted link.
final class SafeScene: Scene {
  private(set) var peripherals: [Seat] = []
  var central: Seat { radio }
  var peripheral: Seat { peripherals[0] }

  /// The first value. Its handle is 0x0012, and reading it requires an encrypted link.
  static let secret: [UInt8] = [8, 8, 8]
  static let secretHandle = handle(0x0012)
  /// Subscribing to this value requires an encrypted link.
  static let notifiedRange = range(0x0015, 0x0015)
  /// This value has no protection.
  static let openHandle = handle(0x0017)

  /// The address of the central, which is number 0, or of a peripheral.
  static func address(_ number: Int) -> DeviceAddress { .numbered(UInt8(1 + number)) }

  /// - Parameter bonds: Those of the central, and then those of each peripheral.
  init(peripherals count: Int = 1, bonds: [RadioBonds]? = nil) throws {
    let bonds = bonds ?? (0...count).map { _ in RadioBonds() }
    super.init(radio: Seat(bonds: bonds[0], isRecorded: true), seed: 5)
    queues = [DevicePairing.queue]
    for number in 1...count {
      let seat = add(
        Seat(bonds: bonds[number], isRecorded: true), number: Self.address(number).bytes[0])
      peripherals.append(seat)
      try seat.publish(
        [
          CBMutableCharacteristic(
            type: CBUUID(string: "5A01"), properties: .read, value: Data(Self.secret),
            permissions: .readEncryptionRequired),
          CBMutableCharacteristic(
            type: CBUUID(string: "5A02"), properties: .notifyEncryptionRequired, value: nil,
            permissions: []),
          CBMutableCharacteristic(
            type: CBUUID(string: "5A03"), properties: .read, value: Data([1]),
            permissions: .readable),
        ], as: 0x5A00)
    }
    run(for: 100)
  }

  // MARK: The central

  func connect(to number: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) -> LinkID {
    let link = central.central.connect(to: Self.address(number))
    run(for: 5_000) { central.links.contains(link) }
    expect(central.links.contains(link), sourceLocation: sourceLocation)
    return link
  }

  func read(on link: LinkID) -> Result<OperationOutput, OperationError>? {
    perform(.read(Self.secretHandle), on: link)
  }

  /// A link on which the secret has been read.
  func connectAndPair(sourceLocation: SourceLocation = #_sourceLocation) -> LinkID {
    let link = connect(sourceLocation: sourceLocation)
    expect(read(on: link), is: .success(.value(Self.secret)), sourceLocation: sourceLocation)
    return link
  }

  /// The security of a device's only link.
  func protection(_ seat: Seat) -> LinkSecurity { seat.device.host.security.security(at: 0) }
}
