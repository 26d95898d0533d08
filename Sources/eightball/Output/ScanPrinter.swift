import BluetoothCentral
import BluetoothHost
import LinuxRadio

/// Prints the devices heard: each once for people, each news of it for programs.
final class ScanPrinter {
  private let isJSON: Bool
  private var heard: [Discovery] = []
  private var printed: [DeviceAddress] = []

  init(isJSON: Bool) {
    self.isJSON = isJSON
  }

  func begins(_ radio: ChosenRadio) {
    guard !isJSON else { return }
    Terminal.note(radio.sentence)
    Terminal.note("Listening…")
  }

  func heard(_ discovery: Discovery) {
    if isJSON { return printJSON(discovery) }
    if let index = heard.firstIndex(where: { $0.address == discovery.address }) {
      heard[index] = discovery
    } else {
      heard.append(discovery)
    }
    if discovery.isNameComplete { print(discovery) }
  }

  /// Prints whoever told no name, and how many there were.
  func ends() {
    guard !isJSON else { return }
    for discovery in heard { print(discovery) }
    let balls = heard.count { $0.isBall }
    let devices = heard.count == 1 ? "1 device" : "\(heard.count) devices"
    Terminal.note("\(devices), \(balls) of them \(balls == 1 ? "a ball" : "balls").")
  }

  func failed(_ text: String, reason: String) {
    guard isJSON else { return Terminal.note("Error: \(text)") }
    var line = JSONLine(event: "failed")
    line["reason"] = reason
    line["detail"] = text
    line.print()
  }

  private func print(_ discovery: Discovery) {
    guard !printed.contains(discovery.address) else { return }
    printed.append(discovery.address)
    let name = discovery.name.map { "“\(printable($0))”" } ?? "(no name)"
    let rssi = discovery.rssi.map { strength($0) } ?? "? dBm"
    let padding = String(repeating: " ", count: max(0, 8 - rssi.count))
    let ball = discovery.isBall ? "  ball" : ""
    Terminal.print("\(discovery.address.text)  \(padding)\(rssi)  \(name)\(ball)")
  }

  private func printJSON(_ discovery: Discovery) {
    var line = JSONLine(event: "found")
    line["name"] = discovery.name
    line.add("address", discovery.address)
    line["kind"] = discovery.address.kindText
    line.add("rssi", discovery.rssi.map { Int($0) })
    line.add("connectable", discovery.isConnectable)
    line.add("services", plain: discovery.serviceUUIDs.map(\.text))
    line.add("ball", discovery.isBall)
    line.print()
  }
}

extension Discovery {
  fileprivate var isBall: Bool { serviceUUIDs.contains(BallService.service) }
}
