import BluetoothHost

func handle(_ rawValue: UInt16) -> AttributeHandle { AttributeHandle(rawValue: rawValue) }

func range(_ start: UInt16, _ end: UInt16) -> AttributeHandleRange {
  AttributeHandleRange(start: handle(start), end: handle(end))
}

extension ScriptedController {
  /// Begins to connect, and runs.
  @discardableResult
  func connect(to peer: DeviceAddress) -> Bool {
    defer { run() }
    return beginConnection(to: peer)
  }

  /// Begins an operation, and runs.
  @discardableResult
  func perform(_ operation: ClientOperation, writing value: [UInt8] = [], at index: Int = 0) -> Bool
  {
    collector.values[index] = value
    defer { run() }
    return begin(operation, at: index)
  }

  /// The client's events since the last call.
  func takeEvents() -> [Collector.Event] {
    defer { collector.events = [] }
    return collector.events
  }

  /// The client and a server agree on an MTU.
  func agree(mtu: UInt16) {
    perform(.exchangeMTU)
    send([0x03] + words(mtu))
    _ = takeEvents()
  }

  /// A write without response takes the controller's only buffer, and stays there.
  func fillBuffer() {
    behaviour.completesPackets = false
    perform(.writeWithoutResponse(handle(3), byteCount: 0))
    _ = takeEvents()
  }

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
