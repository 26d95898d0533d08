// Publishes an L2CAP channel and sends its bytes back. A characteristic has the PSM.
// With --encrypted, the link to a central has to be encrypted.
//   echo-channel [--encrypted] [NAME]
import CoreBluetooth
import Foundation

let serviceUUID = CBUUID(string: "6C3B5A4E-3F0B-4F0E-9B52-3C7C2F5B9D10")
let isEncrypted = CommandLine.arguments.contains("--encrypted")
let name = CommandLine.arguments.dropFirst().first { $0 != "--encrypted" } ?? "Echo"

/// Prints a line at once, also to a program that reads it.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// A channel, on the main run loop.
final class Echo: NSObject, StreamDelegate {
  let channel: CBL2CAPChannel
  private let onEnd: (Echo) -> Void
  /// The received bytes that have not been sent back.
  private var waiting: [UInt8] = []
  private var count = 0

  init(_ channel: CBL2CAPChannel, onEnd: @escaping (Echo) -> Void) {
    self.channel = channel
    self.onEnd = onEnd
    super.init()
    for stream in [channel.inputStream, channel.outputStream] as [Stream] {
      stream.delegate = self
      stream.schedule(in: .main, forMode: .default)
      stream.open()
    }
  }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    switch event {
    case .hasBytesAvailable, .hasSpaceAvailable: pass()
    case .endEncountered, .errorOccurred: if stream is InputStream { end() }
    default: break
    }
  }

  /// Reads only as much as can be sent back, so the other side has to wait.
  private func pass() {
    guard let input = channel.inputStream, let output = channel.outputStream else { return }
    while true {
      if waiting.isEmpty {
        guard input.hasBytesAvailable else { return }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        waiting = Array(buffer[..<max(0, input.read(&buffer, maxLength: buffer.count))])
      }
      guard !waiting.isEmpty, output.hasSpaceAvailable else { return }
      let sent = output.write(waiting, maxLength: waiting.count)
      guard sent > 0 else { return }
      waiting.removeFirst(sent)
      count += sent
    }
  }

  private func end() {
    say("closed after \(count) bytes")
    channel.inputStream.close()
    channel.outputStream.close()
    onEnd(self)
  }
}

final class Publisher: NSObject, CBPeripheralManagerDelegate {
  private var echoes: [Echo] = []

  func peripheralManagerDidUpdateState(_ manager: CBPeripheralManager) {
    guard manager.state == .poweredOn else { return }
    manager.publishL2CAPChannel(withEncryption: isEncrypted)
  }

  func peripheralManager(
    _ manager: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    if let error { return say("cannot publish: \(error.localizedDescription)") }
    // Two bytes, the low one first.
    let number = CBMutableCharacteristic(
      type: CBUUID(string: CBUUIDL2CAPPSMCharacteristicString), properties: .read,
      value: Data([UInt8(PSM & 0xFF), UInt8(PSM >> 8)]), permissions: .readable)
    let service = CBMutableService(type: serviceUUID, primary: true)
    service.characteristics = [number]
    manager.add(service)
    manager.startAdvertising([
      CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: [serviceUUID],
    ])
    say("published \(PSM)")
  }

  func peripheralManager(
    _ manager: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {
    guard let channel else { return }
    say("opened")
    echoes.append(Echo(channel) { [weak self] echo in self?.echoes.removeAll { $0 === echo } })
  }
}

let publisher = Publisher()
let manager = CBPeripheralManager(delegate: publisher, queue: .main)
RunLoop.main.run()
