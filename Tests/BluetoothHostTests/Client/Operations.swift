import BluetoothHost

extension HostConfiguration {
  /// With `C0:00:00:00:00:07` for a controller without an address.
  static let central = HostConfiguration(
    name: DeviceName(StaticText("Test")), service: nil,
    address: .automatic(
      orRandom: DeviceAddress(kind: .random, bytes: [7, 0, 0, 0, 0, 0xC0])))
}

func handle(_ rawValue: UInt16) -> AttributeHandle { AttributeHandle(rawValue: rawValue) }

func range(_ start: UInt16, _ end: UInt16) -> AttributeHandleRange {
  AttributeHandleRange(start: handle(start), end: handle(end))
}

extension ScriptedCentral {
  /// The peer gives these responses, one for each request, and calls `receive` with the request.
  func respond(with responses: [[UInt8]], to receive: @escaping ([UInt8]) -> Void = { _ in }) {
    var remaining = responses[...]
    peer = {
      receive($0)
      return remaining.popFirst().map { [$0] } ?? []
    }
  }
}

/// Performs `operation` with a peer that gives `responses`, one for each request. Returns the
/// requests and the application's events.
func perform(
  _ operation: ClientOperation, writing value: [UInt8] = [], _ responses: [[UInt8]],
  mtu: UInt16? = nil
) -> (requests: [[UInt8]], events: [Collector.Event]) {
  let central = ScriptedCentral<1>.connected()
  if let mtu {
    central.peer = { _ in [[0x03] + Array(little: mtu)] }
    central.perform(.exchangeMTU)
    _ = central.takeEvents()
  }
  var requests: [[UInt8]] = []
  central.respond(with: responses) { requests.append($0) }
  central.perform(operation, writing: value)
  return (requests, central.takeEvents())
}
