import BluetoothHost
import VirtualRadio

/// A connected pair on a virtual air, and advertisers without listeners beside it: measures the cost
/// of an ask in the air alone. Packets are canned; no host runs.
struct Crowd: ~Copyable {
  private let air = VirtualAir()
  private let central: VirtualController
  private let peripheral: VirtualController
  private var packet = [UInt8](repeating: 0, count: 300)
  /// The ACL packets that have come out, which show whether the ask happened.
  private(set) var arrived = 0
  private var time: UInt64 = 0
  private let question: [UInt8]
  private let response: [UInt8]
  private let notification: [UInt8]

  /// A crowd of `count` advertisers, legacy or extended ones with 200 bytes of data.
  init(_ count: Int, areExtended: Bool) {
    central = air.addController()
    peripheral = air.addController()
    for _ in 0..<count {
      if areExtended {
        Self.advertiseExtended(air.addController())
      } else {
        Self.advertise(air.addController())
      }
    }
    Self.advertise(peripheral)
    Self.send(
      LECreateConnection(
        scanInterval: 16, scanWindow: 16, filterPolicy: 0, peer: peripheral.address,
        ownAddressType: 0, parameters: .responsive),
      to: central)
    guard let down = central.connectionHandles.first, let up = peripheral.connectionHandles.first
    else { fail("the pair has no link") }
    // Longer packets, so that each goes over the air in one piece.
    for (controller, handle) in [(central, down), (peripheral, up)] {
      let low = UInt8(handle.rawValue & 0xFF)
      let high = UInt8(handle.rawValue >> 8)
      let command: [UInt8] = [0x01, 0x22, 0x20, 6, low, high, 251, 0, 0x48, 0x08]
      controller.send(command.span)
    }
    // A write of 40 bytes to a value, its response, and a notification of 20 bytes: 4 bytes of L2CAP
    // header, then 3, 1 and 3 of ATT.
    question = Self.acl(down, [47 - 4, 0, 4, 0, 0x12, 3, 0] + [UInt8](repeating: 63, count: 40))
    response = Self.acl(up, [1, 0, 4, 0, 0x13])
    notification = Self.acl(up, [23, 0, 4, 0, 0x1B, 5, 0] + [UInt8](repeating: 65, count: 20))
    _ = drain(central)
    _ = drain(peripheral)
    arrived = 0
  }

  /// One question, its write response and the notification, with all that comes of them, and what a
  /// program does between: it lets time pass, and asks for the next deadline.
  @inline(never)
  mutating func ask() {
    exchange(question, from: central, to: peripheral)
    exchange(response, from: peripheral, to: central)
    exchange(notification, from: peripheral, to: central)
  }

  private mutating func exchange(
    _ packet: [UInt8], from sender: VirtualController, to receiver: VirtualController
  ) {
    time += 1
    air.advance(to: Instant(rawValue: time))
    sender.send(packet.span)
    arrived += drain(receiver)
    // Number Of Completed Packets.
    _ = drain(sender)
    guard air.deadline == nil else { fail("a controller receives an advertisement") }
  }

  /// Takes every packet of a controller, and returns how many carried data.
  private mutating func drain(_ controller: VirtualController) -> Int {
    var count = 0
    while true {
      var writer = ByteWriter(packet.mutableSpan)
      guard controller.nextPacket(into: &writer) else { return count }
      if packet[0] == HCIPacketType.acl.rawValue { count += 1 }
    }
  }

  private static func advertise(_ controller: VirtualController) {
    send(LESetEventMask(mask: .max), to: controller)
    send(LESetAdvertisingParameters(minimumInterval: 160, maximumInterval: 160), to: controller)
    send(LESetAdvertisingEnable(true), to: controller)
  }

  private static func advertiseExtended(_ controller: VirtualController) {
    send(LESetEventMask(mask: .max), to: controller)
    send(
      LESetExtendedAdvertisingParameters(
        handle: 1, properties: .connectable, minimumInterval: 160, maximumInterval: 160),
      to: controller)
    let data = [UInt8](repeating: 7, count: 200)
    send(to: controller) {
      LESetExtendedAdvertisingData(handle: 1, operation: .complete, data: data.span).writePacket(
        .leSetExtendedAdvertisingData, to: &$0)
    }
    send(to: controller) {
      LESetExtendedAdvertisingEnable.writePacket(isEnabled: true, .init(handle: 1), to: &$0)
    }
    guard controller.isAdvertising else { fail("an extended advertiser does not advertise") }
  }

  private static func send(_ command: some HCICommand, to controller: VirtualController) {
    send(to: controller) { command.writePacket(to: &$0) }
  }

  private static func send(
    to controller: VirtualController, _ write: (inout ByteWriter) -> Void
  ) {
    var bytes = [UInt8](repeating: 0, count: 300)
    var count = 0
    do {
      var writer = ByteWriter(bytes.mutableSpan)
      write(&writer)
      count = writer.count
    }
    controller.send(bytes.span.extracting(first: count))
  }

  private static func acl(_ handle: ConnectionHandle, _ data: [UInt8]) -> [UInt8] {
    [
      HCIPacketType.acl.rawValue, UInt8(handle.rawValue & 0xFF), UInt8(handle.rawValue >> 8),
      UInt8(data.count), 0,
    ] + data
  }
}
