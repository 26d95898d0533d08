import BluetoothHost

/// Prints the devices heard: each device once for people, each change for programs.
struct ScanPrinter {
  private struct Heard {
    var device: NearbyDevice
    var isPrinted = false
  }

  private let isJSON: Bool
  private var heard: [Heard] = []

  init(isJSON: Bool) {
    self.isJSON = isJSON
  }

  func begins(_ radio: ChosenRadio) {
    guard !isJSON else { return }
    Terminal.note(radio.sentence)
    Terminal.note("Listening…")
  }

  mutating func heard(_ device: NearbyDevice) {
    if isJSON { return Self.printJSON(device) }
    let index = heard.firstIndex { $0.device.address == device.address } ?? heard.count
    if index == heard.count { heard.append(Heard(device: device)) }
    heard[index].device = device
    if device.name != nil { print(index) }
  }

  /// Prints the devices without a name, and the number of devices.
  mutating func ends() {
    guard !isJSON else { return }
    for index in heard.indices { print(index) }
    let balls = heard.count { $0.device.isBall }
    let devices = heard.count == 1 ? "1 device" : "\(heard.count) devices"
    Terminal.note("\(devices), \(balls) of them \(balls == 1 ? "a ball" : "balls").")
  }

  func failed(_ text: String, reason: String) {
    printFailure(text, reason: reason, isJSON: isJSON)
  }

  private mutating func print(_ index: Int) {
    guard !heard[index].isPrinted else { return }
    heard[index].isPrinted = true
    let device = heard[index].device
    let name = device.name.map { "“\(printable($0))”" } ?? "(no name)"
    let rssi = device.rssi.map { strength($0) } ?? "? dBm"
    let padding = String(repeating: " ", count: max(0, 8 - rssi.count))
    let ball = device.isBall ? "  ball" : ""
    Terminal.print("\(device.address.text)  \(padding)\(rssi)  \(name)\(ball)")
  }

  private static func printJSON(_ device: NearbyDevice) {
    var line = JSONLine(event: "found")
    line.add("name", device.name)
    line.add("address", device.address)
    line.add("kind", device.address.kindText)
    line.add("rssi", device.rssi)
    line.add("connectable", device.isConnectable)
    line.add("services", texts: device.services.map(\.text))
    line.add("ball", device.isBall)
    line.print()
  }
}

extension BluetoothUUID {
  /// In capital hexadecimal digits: four, or 32 in groups.
  fileprivate var text: String {
    func digits(_ number: UInt64, _ count: Int) -> String {
      let text = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    if let short { return digits(UInt64(short), 4) }
    let groups = [
      digits(high >> 32, 8), digits(high >> 16 & 0xFFFF, 4), digits(high & 0xFFFF, 4),
      digits(low >> 48, 4), digits(low & 0xFFFF_FFFF_FFFF, 12),
    ]
    return groups.joined(separator: "-")
  }
}
