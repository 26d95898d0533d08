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

/// Carries out `operation` with a peer that gives `responses`, one to each request; gives the
/// requests and what the application got.
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
  var remaining = responses[...]
  central.peer = { pdu in
    requests.append(pdu)
    return remaining.popFirst().map { [$0] } ?? []
  }
  central.perform(operation, writing: value)
  return (requests, central.takeEvents())
}
