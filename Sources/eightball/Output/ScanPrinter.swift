import BluetoothHost
import CoreBluetooth
import EightBallKit

/// Prints the devices heard: each device once for people, each change for programs.
final class ScanPrinter: @unchecked Sendable {
  // Unchecked: the command that starts the scan waits until the scan is over.

  private let isJSON: Bool
  private var heard: [NearbyDevice] = []
  private var printed: Set<NearbyDevice.ID> = []

  init(isJSON: Bool) {
    self.isJSON = isJSON
  }

  func begins(_ radio: ChosenRadio) {
    guard !isJSON else { return }
    Terminal.note(radio.sentence)
    Terminal.note("Listening…")
  }

  func heard(_ device: NearbyDevice) {
    if isJSON { return printJSON(device) }
    if let index = heard.firstIndex(where: { $0.id == device.id }) {
      heard[index] = device
    } else {
      heard.append(device)
    }
    if device.name != nil { print(device) }
  }

  /// Prints the devices without a name, and the number of devices.
  func ends() {
    guard !isJSON else { return }
    for device in heard { print(device) }
    let balls = heard.count { $0.isBall }
    let devices = heard.count == 1 ? "1 device" : "\(heard.count) devices"
    Terminal.note("\(devices), \(balls) of them \(balls == 1 ? "a ball" : "balls").")
  }

  func failed(_ text: String, reason: String) {
    printFailure(text, reason: reason, isJSON: isJSON)
  }

  private func print(_ device: NearbyDevice) {
    guard printed.insert(device.id).inserted else { return }
    let name = device.name.map { "“\(printable($0))”" } ?? "(no name)"
    let rssi = device.rssi.map { strength($0) } ?? "? dBm"
    let padding = String(repeating: " ", count: max(0, 8 - rssi.count))
    let ball = device.isBall ? "  ball" : ""
    let address = DeviceAddress(device.id)?.text ?? device.id.uuidString
    Terminal.print("\(address)  \(padding)\(rssi)  \(name)\(ball)")
  }

  private func printJSON(_ device: NearbyDevice) {
    var line = JSONLine(event: "found")
    line.add("name", device.name)
    let address = DeviceAddress(device.id)
    line.add("address", address)
    line.add("kind", address?.kindText)
    line.add("rssi", device.rssi)
    line.add("connectable", device.isConnectable)
    line.add("services", plain: device.services)
    line.add("ball", device.isBall)
    line.print()
  }
}
