import BluetoothHost
import Expectations
import Glibc
import Testing

@testable import BlueZ

private let device = RemoteBall.path

private func handle(_ number: UInt16) -> AttributeHandle { AttributeHandle(rawValue: number) }

@Suite("The values of a peripheral beside bluetoothd")
struct BlueZCentralValueTests {
  @Test("The host's client finds bluetoothd's attributes, with their handles")
  func discovery() throws {
    let daemon = try CentralDaemon.connected()
    expect(
      daemon.perform(.discoverServices),
      is: .success(
        .services([
          RemoteService(
            uuid: .ballService, range: AttributeHandleRange(start: handle(0x1B), end: handle(0x20)))
        ])))
    expect(
      daemon.perform(
        .discoverCharacteristics(
          AttributeHandleRange(start: handle(0x1B), end: handle(0x20)))),
      is: .success(
        .characteristics([
          RemoteCharacteristic(
            uuid: .question, properties: .write | .writeWithoutResponse, declaration: handle(0x1C),
            value: handle(0x1D)),
          RemoteCharacteristic(
            uuid: .answer, properties: .read | .notify, declaration: handle(0x1E),
            value: handle(0x1F)),
        ])))
    expect(
      daemon.perform(
        .discoverDescriptors(AttributeHandleRange(start: handle(0x20), end: handle(0x20)))),
      is: .success(
        .descriptors([
          RemoteDescriptor(uuid: .clientCharacteristicConfiguration, handle: handle(0x20))
        ])))
    _ = daemon.perform(.exchangeMTU)
    expect(daemon.host.mtu(at: 0).byteCount, is: 185)
  }

  @Test("Values are read and written, also long ones, and bluetoothd is called once for each")
  func values() throws {
    let daemon = try CentralDaemon.connected(mtu: 23)
    let value = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    daemon.script = { $0.member == "ReadValue" ? .bytes(value) : nil }
    // 300 bytes are a Read and further Read Blobs of 22 bytes.
    expect(daemon.perform(.read(handle(0x1F))), is: .success(.value(value)))
    expect(
      daemon.takeCalls(),
      is: [DaemonCall(path: "\(device)/service001b/char001e", member: "ReadValue")])
    // 40 bytes are three Prepare Writes and an Execute Write.
    expect(
      daemon.perform(.write(handle(0x1D), byteCount: 40), [UInt8](repeating: 7, count: 40)),
      is: .success(.written))
    expect(
      daemon.takeCalls(),
      is: [
        DaemonCall(
          path: "\(device)/service001b/char001c", member: "WriteValue",
          argument: [String](repeating: "7", count: 40).joined(separator: " "))
      ])
    expect(
      daemon.perform(.writeWithoutResponse(handle(0x1D), byteCount: 2), [1, 2]),
      is: .success(.written))
    expect(daemon.takeCalls().map(\.argument), is: ["1 2"])
    daemon.script = { $0.path.hasSuffix("desc0020") ? .bytes([1, 0]) : nil }
    expect(daemon.perform(.read(handle(0x20))), is: .success(.value([1, 0])))
  }

  @Test(
    "An error of bluetoothd is the ATT error behind it",
    arguments: [
      ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e", UInt8(0x0E)),
      ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x80 (unknown)", 0x80),
      ("org.bluez.Error.Failed", "Failed to initiate write", 0x0E),
      ("org.bluez.Error.NotPermitted", "Write not permitted", 0x03),
      ("org.bluez.Error.NotPermitted", "Not paired", 0x05),
      ("org.bluez.Error.NotSupported", "Operation is not supported", 0x06),
      ("org.bluez.Error.Failed", "0x", 0x0E),
    ])
  func errors(_ name: String, _ text: String, _ code: UInt8) throws {
    let daemon = try CentralDaemon.connected()
    daemon.script = { $0.member == "WriteValue" ? .error(name, text) : nil }
    guard
      case .failure(.refused(let response))? = daemon.perform(
        .write(handle(0x1D), byteCount: 1), [1])
    else {
      expect(false)
      return
    }
    expect(response.code.rawValue, is: code)
    // The link works as before.
    daemon.script = { _ in nil }
    expect(daemon.perform(.write(handle(0x1D), byteCount: 1), [1]), is: .success(.written))
  }

  // Symptom: a ball that left during a question had refused it.
  @Test(
    "A request that fails with the link has no answer, and the link ends",
    arguments: [
      ("org.bluez.Error.Failed", "Not connected"), ("org.bluez.Error.Failed", "Operation failed"),
      ("org.bluez.Error.NotConnected", "Not Connected"),
    ])
  func lostRequest(_ name: String, _ text: String) throws {
    for isReported in [false, true] {
      let daemon = try CentralDaemon.connected()
      daemon.script = { $0.member == "WriteValue" ? .error(name, text) : nil }
      expect(daemon.perform(.write(handle(0x1D), byteCount: 1), [1]), is: nil)
      if isReported {
        daemon.change(device, "org.bluez.Device1", [("Connected", .flag(false))])
      } else {
        // The limit of ATT.
        daemon.pass(milliseconds: 30_000)
      }
      expect(daemon.host.connectionCount, is: 0)
      expect(
        daemon.host.client.application.results.last,
        is: .failure(isReported ? .disconnected : .timedOut))
    }
  }

  @Test("A subscription has a socket of its own, whose packets are notifications, until it ends")
  func subscription() throws {
    let daemon = try CentralDaemon.connected()
    expect(
      daemon.perform(.subscribe(handle(0x20), .notification), [1, 0]), is: .success(.written))
    expect(daemon.takeCalls().map(\.member), is: ["AcquireNotify"])
    let answer = Array("It is certain.".utf8)
    expect(unsafe Glibc.write(daemon.notifier, answer, answer.count), is: answer.count)
    daemon.settle()
    expect(
      daemon.host.client.application.events.last, is: .notified(0, handle(0x1F), answer))
    expect(daemon.perform(.subscribe(handle(0x20), .none), [0, 0]), is: .success(.written))
    // This program has closed its end.
    expect(unsafe Glibc.write(daemon.notifier, answer, answer.count), is: -1)
  }

  @Test("A characteristic whose socket another program has is heard by its property")
  func sharedSubscription() throws {
    let daemon = try CentralDaemon.connected()
    daemon.script = {
      $0.member == "AcquireNotify" ? .error("org.bluez.Error.NotPermitted", "Notify acquired") : nil
    }
    expect(
      daemon.perform(.subscribe(handle(0x20), .notification), [1, 0]), is: .success(.written))
    expect(daemon.takeCalls().map(\.member), is: ["AcquireNotify", "StartNotify"])
    let path = "\(device)/service001b/char001e"
    daemon.change(path, "org.bluez.GattCharacteristic1", [("Value", .bytes([1, 2, 3]))])
    expect(daemon.host.client.application.events.last, is: .notified(0, handle(0x1F), [1, 2, 3]))
    // A value that this program reads is announced, too.
    daemon.script = { $0.member == "ReadValue" ? .later : nil }
    let count = daemon.host.client.application.notified.count
    _ = daemon.perform(.read(handle(0x1F)))
    daemon.change(path, "org.bluez.GattCharacteristic1", [("Value", .bytes([9]))])
    daemon.finishLateCall(.bytes([9]))
    expect(daemon.host.client.application.notified.count, is: count)
    expect(daemon.host.client.application.results.last, is: .success(.value([9])))
    daemon.script = { _ in nil }
    expect(daemon.perform(.subscribe(handle(0x20), .none), [0, 0]), is: .success(.written))
    expect(daemon.takeCalls().last?.member, is: "StopNotify")
  }

  @Test("Attributes that change are read again")
  func refresh() throws {
    let daemon = try CentralDaemon.connected()
    daemon.add(
      "\(device)/service0030", "org.bluez.GattService1",
      [("UUID", .text("0000180a-0000-1000-8000-00805f9b34fb"))])
    daemon.pass(milliseconds: 100)
    daemon.settle()
    expect(
      daemon.perform(.discoverServicesByUUID(.deviceInformationService)),
      is: .success(
        .services([
          RemoteService(
            uuid: .deviceInformationService,
            range: AttributeHandleRange(start: handle(0x30), end: handle(0x30)))
        ])))
  }

  @Test("A read of two values at once is refused, and the link works")
  func readMultiple() throws {
    let daemon = try CentralDaemon.connected()
    daemon.script = { $0.member == "ReadValue" ? .bytes([1]) : nil }
    let result = daemon.perform(
      .readMultiple(byteCount: 4, isVariable: false), [0x1F, 0, 0x20, 0])
    guard case .failure(.refused)? = result else {
      expect(false)
      return
    }
    expect(daemon.perform(.read(handle(0x1F))), is: .success(.value([1])))
  }

  @Test("Objects with wrong paths and properties are no attributes")
  func wrongObjects() throws {
    let daemon = try CentralDaemon.started()
    daemon.objects = RemoteBall.objects()
    for path in [
      "/service", "/serviceXYZW", "/service0000", "/service001", "/char0040", "/service001b/char",
      "/service001b/charffff", "/service001b/char0050/desc",
    ] {
      daemon.objects.append(
        (device + path, "org.bluez.GattService1", [("UUID", .text(RemoteBall.service))]))
      daemon.objects.append(
        (device + path, "org.bluez.GattCharacteristic1", [("UUID", .text("?"))]))
    }
    expect(daemon.host.connect(to: RemoteBall.address))
    daemon.settle()
    guard case .success(.services(let services))? = daemon.perform(.discoverServices) else {
      expect(false)
      return
    }
    expect(services.map(\.range.start.rawValue), is: [0x1B])
  }
}
