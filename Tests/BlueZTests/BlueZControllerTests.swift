import BallTestSupport
import BlueZ
import BluetoothHost
import EightBall
import Expectations
import Testing

private let ball = DeviceAddress(kind: .public, bytes: [0xBA, 0x11, 0, 0, 0, 0xF0])
private let phone = DeviceAddress.staticRandom([1, 2, 3, 4, 5, 6])

private func centralBench() -> ControllerBench<Central<2, Collector>> {
  let bench = ControllerBench(
    Central<2, Collector>(configuration: .central, application: Collector()))
  bench.host.start(at: bench.now)
  bench.run()
  return bench
}

private func ballBench() -> ControllerBench<BallHost<2>> {
  let bench = ControllerBench(
    BallHost<2>(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("Ball")), service: .ballService, address: .public),
      database: EightBallProfile.makeDatabase(), application: BallApplication<2>(seed: 8)))
  bench.host.start(at: bench.now)
  bench.run()
  return bench
}

@Suite("bluetoothd as a controller, for a host that connects")
struct BlueZControllerCentralTests {
  @Test("The host starts, and has the adapter's address")
  func start() {
    let bench = centralBench()
    expect(bench.host.radio, is: .silent)
    expect(bench.takeRequests(), is: [.reset])
    expect(bench.host.address, is: bench.controller.address)
  }

  @Test("A scan begins when the bus has begun it, and reports advertisers with their data")
  func scan() {
    let bench = centralBench()
    bench.answers = false
    bench.host.scan(ScanParameters())
    bench.run()
    expect(bench.takeRequests().last, is: .setScanning(true, filtersDuplicates: true))
    // A complete name of 4 bytes, and 60 bytes of a manufacturer: more than a legacy report has room for.
    let data: [UInt8] =
      [5, 0x09] + Array("Ball".utf8) + [61, 0xFF] + [UInt8](repeating: 7, count: 60)
    bench.controller.report(ball, rssi: -60, data: data.span)
    bench.run()
    expect(bench.host.client.application.advertisers.count, is: 0)
    // This is not the result of the scan.
    bench.controller.finishAdvertising(.success)
    expect(!bench.controller.isScanning)
    bench.controller.finishScanning(.success)
    bench.controller.report(ball, rssi: -60, data: data.span)
    bench.run()
    let found = bench.host.client.application.advertisers
    expect(found.map(\.address), is: [ball])
    expect(found.map(\.isNameComplete), is: [true])
    expect(found.map(\.isConnectable), is: [true])
    bench.host.scan(nil)
    bench.run()
    expect(bench.takeRequests(), is: [.setScanning(false, filtersDuplicates: false)])
  }

  @Test("A refused scan fails")
  func refusedScan() {
    let bench = centralBench()
    bench.answers = false
    bench.host.scan(ScanParameters())
    bench.run()
    bench.controller.finishScanning(.hardwareFailure)
    bench.run()
    expect(bench.host.client.application.takeEvents().last, is: .scanFailed(.hardwareFailure))
  }

  @Test("A link carries requests and responses, and its end has the reason")
  func link() {
    let bench = centralBench()
    expect(bench.host.connect(to: ball))
    bench.run()
    expect(bench.takeRequests().last, is: .connect(ball))
    // Another device than the one that the host connects to.
    expect(bench.controller.openLink(to: phone, .central), is: nil)
    expect(bench.controller.openLink(to: ball, .central, rssi: -50), is: 0)
    bench.run()
    expect(bench.host.client.application.takeEvents().last, is: .connected(0, ball, .central))

    expect(bench.host.perform(.exchangeMTU, at: 0))
    bench.run()
    // Exchange MTU Request: 0x02, 517.
    expect(bench.takeRequests(), is: [.attribute(0, [0x02, 0x05, 0x02])])
    // Exchange MTU Response: 0x03, 247.
    bench.send([0x03, 0xF7, 0x00], to: 0)
    expect(bench.host.mtu(at: 0).byteCount, is: 247)

    bench.controller.closeLink(0, .connectionTimeout)
    bench.run()
    expect(
      bench.host.client.application.takeEvents().last, is: .disconnected(0, .connectionTimeout))
    expect(!bench.controller.isOpen(0))
  }

  @Test("A frame of 517 bytes arrives whole in both directions")
  func longFrames() {
    let bench = centralBench()
    expect(bench.host.connect(to: ball))
    bench.run()
    _ = bench.controller.openLink(to: ball, .central)
    bench.run()
    expect(bench.host.perform(.exchangeMTU, at: 0))
    bench.run()
    bench.send([0x03, 0x05, 0x02], to: 0)
    bench.host.client.application.values[0] = [UInt8](repeating: 9, count: 512)
    let handle = AttributeHandle(rawValue: 3)
    expect(bench.host.perform(.write(handle, byteCount: 512), at: 0))
    _ = bench.takeRequests()
    bench.run()
    // Write Request: 0x12, the handle and 512 bytes.
    expect(
      bench.takeRequests(), is: [.attribute(0, [0x12, 3, 0] + [UInt8](repeating: 9, count: 512))])
    bench.send([0x13], to: 0)
    // Handle Value Notification: 0x1B.
    let value = [UInt8](repeating: 8, count: 514)
    bench.send([0x1B, 3, 0] + value, to: 0)
    expect(bench.host.client.application.notified.map(\.value), is: [value])
  }

  @Test("A failed connection has the reason, and a cancelled one ends")
  func failures() {
    let bench = centralBench()
    expect(bench.host.connect(to: ball))
    bench.run()
    bench.controller.failConnection(.connectionFailedToBeEstablished)
    bench.run()
    expect(
      bench.host.client.application.takeEvents().last,
      is: .connectionFailed(.connectionFailedToBeEstablished))
    expect(bench.host.connect(to: ball))
    bench.run()
    bench.host.cancelConnection()
    bench.run()
    expect(bench.takeRequests().suffix(2), is: [.connect(ball), .cancelConnection])
    expect(
      bench.host.client.application.takeEvents().last,
      is: .connectionFailed(.unknownConnectionIdentifier))
    // The bus connects too late.
    expect(bench.controller.openLink(to: ball, .central), is: nil)
    expect(bench.host.canConnect)
  }

  @Test("The host disconnects, and its link ends when the bus has ended it")
  func disconnection() {
    let bench = centralBench()
    expect(bench.host.connect(to: ball))
    bench.run()
    _ = bench.controller.openLink(to: ball, .central)
    bench.run()
    bench.host.disconnect(at: 0)
    bench.run()
    expect(bench.takeRequests().last, is: .disconnect(0))
    expect(bench.host.connectionCount, is: 1)
    bench.controller.closeLink(0, .connectionTerminatedByLocalHost)
    bench.run()
    expect(bench.host.connectionCount, is: 0)
    // The next link has another handle, although the index is the same.
    expect(bench.host.connect(to: ball))
    bench.run()
    expect(bench.controller.openLink(to: ball, .central), is: 0)
    bench.run()
    // Disconnect: the handle of the first link.
    bench.give([0x01, 0x06, 0x04, 3, 0x10, 0x00, 0x13])
    // Command Status: Unknown Connection Identifier.
    expect(bench.receivedPacket(), is: [0x04, 0x0F, 4, 0x02, 1, 0x06, 0x04])
  }
}

@Suite("bluetoothd as a controller, for a ball")
struct BlueZControllerPeripheralTests {
  @Test("Advertising begins when the bus has begun it")
  func advertising() {
    let bench = ballBench()
    expect(bench.takeRequests(), is: [.reset, .setAdvertising(true)])
    expect(bench.host.radio, is: .advertising)
    expect(bench.controller.isAdvertising)
    expect(
      bench.controller.advertisement,
      is: Advertisement(service: .ballService, name: DeviceName(StaticText("Ball"))))
  }

  @Test("A central's request is answered, and advertising begins again for the next central")
  func request() {
    let bench = ballBench()
    _ = bench.takeRequests()
    expect(bench.controller.openLink(to: phone, .peripheral), is: 0)
    expect(!bench.controller.isAdvertising)
    bench.run()
    expect(bench.takeRequests(), is: [.setAdvertising(true)])
    // Read Request of the device's name, handle 0x0003.
    bench.send([0x0A, 0x03, 0x00], to: 0)
    expect(bench.takeRequests(), is: [.attribute(0, [0x0B] + Array("Ball".utf8))])
  }

  @Test("A full ball stops advertising, and begins when a central has left")
  func full() {
    let bench = ballBench()
    _ = bench.controller.openLink(to: phone, .peripheral)
    bench.run()
    _ = bench.takeRequests()
    expect(bench.controller.openLink(to: ball, .peripheral), is: 1)
    bench.run()
    expect(bench.takeRequests(), is: [])
    expect(!bench.controller.isAdvertising)
    bench.controller.closeLink(0, .remoteUserTerminatedConnection)
    bench.run()
    expect(bench.takeRequests(), is: [.setAdvertising(true)])
  }

  @Test("The host finds out that bluetoothd has ended the advertising, and begins it again")
  func lostAdvertising() {
    let bench = ballBench()
    _ = bench.takeRequests()
    bench.controller.advertisingEnded()
    // The check after 30 s, and 2 s in which a connection may arrive that explains it.
    bench.pass(milliseconds: 30_000)
    bench.pass(milliseconds: 2_000)
    bench.pass(milliseconds: 2_000)
    expect(bench.takeRequests(), is: [.reset, .setAdvertising(true)])
    expect(bench.host.radio, is: .advertising)
  }

  @Test("A reset ends links and advertising without events")
  func reset() {
    let bench = ballBench()
    _ = bench.controller.openLink(to: phone, .peripheral)
    bench.run()
    _ = bench.takeRequests()
    bench.give([0x01, 0x03, 0x0C, 0])
    expect(bench.takeRequests(), is: [.reset])
    expect(!bench.controller.isOpen(0))
    // Command Complete of Reset, and nothing else.
    expect(bench.receivedPacket(), is: [0x04, 0x0E, 4, 1, 0x03, 0x0C, 0])
    expect(bench.receivedPacket(), is: nil)
    // The late result of the bus answers no command.
    bench.controller.finishAdvertising(.success)
    expect(bench.receivedPacket(), is: nil)
  }
}

@Suite("bluetoothd as a controller: wrong and rare packets")
struct BlueZControllerInputTests {
  @Test("A truncated packet of the host is ignored, at each length")
  func truncated() {
    let packets: [[UInt8]] = [
      // LE Set Advertising Data; LE Create Connection; Disconnect; Read RSSI; LE Set Scan Enable.
      [0x01, 0x08, 0x20, 32] + [UInt8](repeating: 0, count: 32),
      [0x01, 0x0D, 0x20, 25] + [UInt8](repeating: 0, count: 25),
      [0x01, 0x06, 0x04, 3, 0x10, 0, 0x13],
      [0x01, 0x05, 0x14, 2, 0x10, 0],
      [0x01, 0x0C, 0x20, 2, 1, 1],
      // An ATT request on the link.
      [0x02, 0x10, 0x00, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0],
    ]
    for packet in packets {
      for length in 0..<packet.count {
        let bench = ballBench()
        _ = bench.controller.openLink(to: phone, .peripheral)
        bench.run()
        _ = bench.takeRequests()
        bench.give(Array(packet.prefix(length)))
        expect(bench.takeRequests(), is: [])
        expect(bench.receivedPacket(), is: nil)
      }
    }
  }

  @Test("An unknown command is refused, and so are commands for unknown links")
  func refused() {
    let bench = ballBench()
    // LE Rand: Command Status, Unknown HCI Command.
    bench.give([0x01, 0x18, 0x20, 0])
    expect(bench.receivedPacket(), is: [0x04, 0x0F, 4, 0x01, 1, 0x18, 0x20])
    // Read RSSI: Command Complete, Unknown Connection Identifier, the handle.
    bench.give([0x01, 0x05, 0x14, 2, 0x99, 0x01])
    expect(bench.receivedPacket(), is: [0x04, 0x0E, 7, 1, 0x05, 0x14, 0x02, 0x99, 0x01, 0])
    // Data of an unknown link.
    bench.give([0x02, 0x99, 0x01, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0])
    expect(
      bench.takeRequests().contains { if case .attribute = $0 { true } else { false } }, is: false)
  }

  @Test("A request for other connection parameters is rejected, and its packet completed")
  func signalling() {
    let bench = ballBench()
    _ = bench.controller.openLink(to: phone, .peripheral)
    bench.run()
    // Connection Parameter Update Request, identifier 1.
    bench.give([0x02, 0x10, 0x00, 16, 0, 12, 0, 5, 0, 0x12, 1, 8, 0, 6, 0, 6, 0, 0, 0, 100, 0])
    // Number Of Completed Packets, then Command Reject: reason 0.
    expect(bench.receivedPacket(), is: [0x04, 0x13, 5, 1, 0x10, 0x00, 1, 0])
    expect(bench.receivedPacket(), is: [0x02, 0x10, 0x20, 10, 0, 6, 0, 5, 0, 0x01, 1, 2, 0, 0, 0])
    // A response gets none.
    bench.give([0x02, 0x10, 0x00, 10, 0, 6, 0, 5, 0, 0x13, 1, 2, 0, 0, 0])
    expect(bench.receivedPacket(), is: [0x04, 0x13, 5, 1, 0x10, 0x00, 1, 0])
    expect(bench.receivedPacket(), is: nil)
  }

  @Test("A pairing request is refused at once: bluetoothd pairs")
  func pairing() {
    let bench = ballBench()
    _ = bench.controller.openLink(to: phone, .peripheral)
    bench.run()
    // Pairing Request, after Number Of Completed Packets: Pairing Failed, Pairing Not Supported.
    bench.give([0x02, 0x10, 0x00, 11, 0, 7, 0, 6, 0, 0x01, 3, 0, 1, 16, 0, 0])
    expect(bench.receivedPacket(), is: [0x04, 0x13, 5, 1, 0x10, 0x00, 1, 0])
    expect(bench.receivedPacket(), is: [0x02, 0x10, 0x20, 6, 0, 2, 0, 6, 0, 0x05, 0x05])
    expect(bench.receivedPacket(), is: nil)
  }

  @Test("A host that does not read loses notifications and reports, never an answer or an end")
  func full() {
    let bench = ballBench()
    _ = bench.controller.openLink(to: phone, .peripheral)
    bench.run()
    let value = [UInt8](repeating: 8, count: 514)
    var count = 0
    while bench.controller.hasRoom {
      bench.controller.send(to: 0) { writer in for byte in value { writer.write(byte) } }
      count += 1
    }
    // 16,384 bytes less a reserve of 3,072, in packets of 2 + 5 + 4 + 514 bytes.
    expect(count, is: 26)
    bench.give([0x01, 0x09, 0x10, 0])
    bench.controller.closeLink(0, .connectionTimeout)
    var packets: [[UInt8]] = []
    while let packet = bench.receivedPacket() { packets.append(packet) }
    expect(packets.count, is: 28)
    expect(packets.last, is: [0x04, 0x05, 4, 0, 0x10, 0x00, 0x08])
  }

  @Test("At most 16 links are open")
  func links() {
    let bench = ballBench()
    for index in 0..<16 {
      let peer = DeviceAddress.staticRandom([UInt8(index), 0, 0, 0, 0, 0])
      expect(bench.controller.openLink(to: peer, .peripheral), is: index)
    }
    expect(bench.controller.openLink(to: phone, .peripheral), is: nil)
  }
}
