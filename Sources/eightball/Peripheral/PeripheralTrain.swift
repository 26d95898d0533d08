import BluetoothHost
import Linux

/// The values that a peripheral of a file broadcasts in a periodic advertising train, which any number of
/// devices follow without a connection. Core Specification, Vol 3, Part C, 9.5.
struct PeripheralTrain: Equatable, Sendable {
  /// The most bytes of the train: more would interrupt it at each change.
  static let capacity = LESetPeriodicAdvertisingData.longestPart

  /// The time between two packets, in milliseconds: 8 to 81,918.
  var interval: UInt32
  /// The labels of the characteristics.
  var labels: [String]

  /// Reads `1 s: weather.temperature, weather.humidity`.
  ///
  /// - Throws: What was expected.
  init(_ text: Substring) throws(Expected) {
    guard let colon = text.firstIndex(of: ":") else {
      throw Expected("a time, a colon and labels, such as 1 s: weather.temperature")
    }
    interval = try milliseconds(trimmed(text[..<colon]))
    guard (8...81_918).contains(interval) else { throw Expected("a time from 8 ms to 81.918 s") }
    labels = list(text[text.index(after: colon)...]).map { String($0) }
  }

  /// The field as `init(_:)` reads it.
  var fileText: String { "\(timeText(interval)): \(labels.joined(separator: ", "))" }

  /// What the host sends: the interval in units of 1.25 ms, rounded down.
  var parameters: PeriodicTrain {
    let units = UInt16(clamping: interval * 4 / 5)
    return PeriodicTrain(interval: units...units)
  }
}

extension PeripheralDescription {
  /// The data of the train: for each service its UUID, and the values of its characteristics one after
  /// another. Core Specification Supplement, Part A, 1.11. `nil` if they do not fit.
  ///
  /// - Parameter values: The values of the characteristics, by their labels.
  func trainData(_ values: [String: [UInt8]]) -> [UInt8]? {
    var data: [UInt8] = []
    for service in services {
      let labels = (train?.labels ?? []).filter { $0.hasPrefix(service.label + ".") }
      guard !labels.isEmpty else { continue }
      var uuid = ByteBuffer<16>()
      uuid.write { service.uuid.write(to: &$0) }
      let type: AdvertisingDataType = uuid.count == 2 ? .serviceData16 : .serviceData128
      let content = [UInt8](uuid.span) + labels.flatMap { values[$0] ?? [] }
      guard content.count < 255, data.count + 2 + content.count <= PeripheralTrain.capacity else {
        return nil
      }
      data += [UInt8(content.count + 1), type.rawValue] + content
    }
    return data
  }

  /// The data of the advertising set that the train belongs to: the name.
  var trainSetData: [UInt8] {
    let name = Array(name.utf8.prefix(DeviceName.capacity))
    return [UInt8(name.count + 1), AdvertisingDataType.completeLocalName.rawValue] + name
  }
}
