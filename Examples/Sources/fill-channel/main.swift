// Opens the L2CAP channel of echo-channel, sends bytes and checks that they come back.
//   fill-channel [BYTES]
import CoreBluetooth
import Foundation

let serviceUUID = CBUUID(string: "6C3B5A4E-3F0B-4F0E-9B52-3C7C2F5B9D10")
let total = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000

/// Prints a line at once, also to a program that reads it.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Ends the program.
func end(_ text: String, _ status: Int32) {
  say(text)
  exit(status)
}

/// The bytes to send: 0, 1, 2 … 250, 0 …
func pattern(from start: Int, count: Int) -> [UInt8] {
  (start..<start + count).map { UInt8($0 % 251) }
}

final class Filler: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, StreamDelegate {
  private var peripheral: CBPeripheral?
  private var channel: CBL2CAPChannel?
  private var sent = 0
  private var received = 0
  private var start = Date()

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [serviceUUID]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    central.stopScan()
    self.peripheral = peripheral
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([serviceUUID])
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let service = peripheral.services?.first else { return end("no service", 1) }
    peripheral.discoverCharacteristics(
      [CBUUID(string: CBUUIDL2CAPPSMCharacteristicString)], for: service)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
    error: (any Error)?
  ) {
    guard let number = service.characteristics?.first else { return end("no number", 1) }
    peripheral.readValue(for: number)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    guard let bytes = characteristic.value, bytes.count == 2 else { return end("no number", 1) }
    let number = CBL2CAPPSM(bytes[0]) | CBL2CAPPSM(bytes[1]) << 8
    say("opening \(number)")
    peripheral.openL2CAPChannel(number)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {
    guard let channel else { return end("refused: \(error.map { "\($0)" } ?? "")", 1) }
    self.channel = channel
    start = Date()
    for stream in [channel.inputStream, channel.outputStream] as [Stream] {
      stream.delegate = self
      stream.schedule(in: .main, forMode: .default)
      stream.open()
    }
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {
    end("disconnected", received == total ? 0 : 1)
  }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    switch event {
    case .hasSpaceAvailable: send()
    case .hasBytesAvailable: receive()
    case .endEncountered, .errorOccurred: end("ended after \(received) bytes", 1)
    default: break
    }
  }

  private func send() {
    guard let output = channel?.outputStream, sent < total else { return }
    let part = pattern(from: sent, count: min(16_384, total - sent))
    sent += max(0, output.write(part, maxLength: part.count))
  }

  private func receive() {
    guard let input = channel?.inputStream else { return }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = max(0, input.read(&buffer, maxLength: buffer.count))
    guard Array(buffer[..<count]) == pattern(from: received, count: count) else {
      return end("other bytes after \(received)", 1)
    }
    received += count
    guard received == total else { return }
    let seconds = Date().timeIntervalSince(start)
    say("\(total) bytes each way in \(String(format: "%.1f", seconds)) s")
    // Closes the channel, then the link.
    channel?.inputStream.close()
    channel?.outputStream.close()
    if let peripheral { manager.cancelPeripheralConnection(peripheral) }
  }
}

let filler = Filler()
let manager = CBCentralManager(delegate: filler, queue: .main)
RunLoop.main.run()
