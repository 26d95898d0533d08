import BluetoothHost
import Testing

extension ScriptedDevice where Database == GATTDatabase<27>, Channels == NoChannels {
  /// A controller with a changed behaviour.
  static func with(_ change: (inout ControllerBehaviour) -> Void) -> ScriptedDevice {
    var behaviour = ControllerBehaviour()
    change(&behaviour)
    return ScriptedDevice(behaviour)
  }

  /// A controller with the links 0x40 and 0x41, without a record of their start.
  static func connected() -> ScriptedDevice {
    let controller = ScriptedDevice()
    controller.connect(0x40)
    controller.connect(0x41)
    controller.forgetWhatWasSent()
    return controller
  }
}

// The centrals: what they do and receive.
extension ScriptedDevice where Database: ~Copyable, Channels: ~Copyable {
  /// A central connects; its address ends in the low byte of `handle`.
  func connect(
    _ handle: UInt16 = 0x40, status: UInt8 = 0x00, interval: UInt16 = 24, timeout: UInt16 = 72,
    enhanced: Bool = false
  ) {
    let peer: [UInt8] = [UInt8(truncatingIfNeeded: handle), 0, 0, 0, 0, 0xC0]
    let parameters =
      [enhanced ? 0x0A : 0x01, status] + Array(little: handle) + [0x01, 0x01] + peer
      + (enhanced ? [UInt8](repeating: 0, count: 12) : [])
      + Array(little: interval) + [0, 0] + Array(little: timeout) + [0]
    // A connection ends the advertising: Vol 4, Part E, 7.8.9.
    isAdvertising = false
    if status == 0x00 { forgetFragments(of: handle) }
    receive([0x04, 0x3E, UInt8(parameters.count)] + parameters)
  }

  /// The address of the central on link `handle`.
  func peer(_ handle: UInt16 = 0x40) -> DeviceAddress {
    DeviceAddress(kind: .random, bytes: [UInt8(truncatingIfNeeded: handle), 0, 0, 0, 0, 0xC0])
  }

  /// The controller reports that a link has ended.
  func disconnect(_ handle: UInt16 = 0x40, reason: UInt8 = 0x13) {
    receive([0x04, 0x05, 4, 0x00] + Array(little: handle) + [reason])
  }

  /// A central sends one frame, in one ACL packet.
  func send(_ payload: [UInt8], channel: UInt16 = 0x0004, on handle: UInt16 = 0x40) {
    receive(
      acl(Array(little: UInt16(payload.count)) + Array(little: channel) + payload, on: handle))
  }

  /// An ACL packet as a controller gives it.
  func acl(_ data: [UInt8], on handle: UInt16 = 0x40, boundary: UInt16 = 0b10) -> [UInt8] {
    [0x02] + Array(little: handle | boundary << 12) + Array(little: UInt16(data.count)) + data
  }

  /// The host's responses on `channel` to one frame.
  func exchange(
    _ payload: [UInt8], channel: UInt16 = 0x0004, on handle: UInt16 = 0x40
  ) -> [[UInt8]] {
    let before = frames.count
    send(payload, channel: channel, on: handle)
    return frames[before...].filter { $0.handle == handle && $0.channel == channel }
      .map(\.payload)
  }

  /// The ATT PDUs sent to a central.
  func pdus(on handle: UInt16 = 0x40) -> [[UInt8]] {
    frames.filter { $0.handle == handle && $0.channel == 0x0004 }.map(\.payload)
  }

  /// A central exchanges the MTU.
  func exchangeMTU(_ mtu: UInt16, on handle: UInt16 = 0x40) {
    _ = exchange([0x02] + Array(little: mtu), on: handle)
  }

  /// Checks the responses to one ATT PDU.
  func expect(
    _ request: [UInt8], gives responses: [UInt8]..., on handle: UInt16 = 0x40,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(exchange(request, on: handle) == responses, sourceLocation: sourceLocation)
  }
}

// What the host has done, as copies for `#expect`.
extension ScriptedDevice where Database: ~Copyable, Channels: ~Copyable {
  var events: [TestApplication.Event] {
    get { host.server.application.events }
    set { host.server.application.events = newValue }
  }

  /// The values written, oldest first.
  var writes: [[UInt8]] {
    events.compactMap { if case .wrote(let value, _, _) = $0 { value } else { nil } }
  }

  var radio: RadioState { host.radio }
  var isShutDown: Bool { host.isShutDown }
  var isAdvertisingHeldBack: Bool { host.isAdvertisingHeldBack }
  var receivesUpdates: Bool { host.server.receivesUpdates(at: 0) }
  var connectionCount: Int { host.connectionCount }
  var deadline: Instant? { host.deadline }
  var address: DeviceAddress { host.address }
}

/// An Error Response. Core Specification, Vol 3, Part F, 3.4.1.1.
func error(_ request: UInt8, _ handle: UInt16, _ code: ATTErrorCode) -> [UInt8] {
  [0x01, request] + Array(little: handle) + [code.rawValue]
}
