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
    // The set of a train may be received after another set of the device.
    if heard[index].device.train == nil, device.train != nil { heard[index].isPrinted = false }
    heard[index].device = device
    if device.name != nil { print(index) }
  }

  /// Prints the devices without a name, and the number of devices.
  mutating func ends() {
    guard !isJSON else { return }
    for index in heard.indices { print(index) }
    guard !heard.isEmpty else { return Terminal.note("No devices found.") }
    let balls = heard.count { $0.device.isBall }
    let devices = heard.count == 1 ? "1 device" : "\(heard.count) devices"
    let ballCount = balls == 0 ? "no balls" : balls == 1 ? "1 ball" : "\(balls) balls"
    Terminal.note("\(devices), \(ballCount).")
  }

  func failed(_ text: String, reason: String) {
    printError(text, reason: reason, isJSON: isJSON)
  }

  private mutating func print(_ index: Int) {
    guard !heard[index].isPrinted else { return }
    heard[index].isPrinted = true
    let device = heard[index].device
    let name = device.name.map { "“\(printable($0))”" } ?? "(no name)"
    let rssi = device.rssi.map { strength($0) } ?? "? dBm"
    let padding = String(repeating: " ", count: max(0, 8 - rssi.count))
    let ball = device.isBall ? "  ball" : ""
    let range = device.isCoded ? "  long range" : ""
    let train = device.trainInterval.map { "  periodic \(timeText($0))" } ?? ""
    Terminal.print("\(device.address.text)  \(padding)\(rssi)  \(name)\(ball)\(range)\(train)")
  }

  private static func printJSON(_ device: NearbyDevice) {
    var line = JSONLine(event: "found")
    line.add("name", device.name)
    line.add("address", device.address)
    line.add("kind", device.address.kindText)
    line.add("rssi", device.rssi)
    line.add("connectable", device.isConnectable)
    line.add("extended", device.isExtended)
    line.add("coded", device.isCoded)
    line.add("periodic", device.trainInterval.map(Int.init))
    line.add("services", texts: device.services.map(\.text))
    line.add("ball", device.isBall)
    line.print()
  }
}
