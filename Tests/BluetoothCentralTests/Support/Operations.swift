import BluetoothHost

@testable import BluetoothCentral

func handle(_ rawValue: UInt16) -> AttributeHandle { AttributeHandle(rawValue: rawValue) }

func range(_ start: UInt16, _ end: UInt16) -> AttributeHandleRange {
  AttributeHandleRange(start: handle(start), end: handle(end))
}

/// Carries out `operation` with a peer that gives `responses`, one to each request; gives the
/// requests and how it ended.
func perform(
  _ operation: BluetoothCentral.Operation, _ responses: [[UInt8]], mtu: UInt16? = nil
) -> (requests: [[UInt8]], outcome: Result<OperationOutput, OperationError>?) {
  let (central, radio, link) = connectedCentral()
  if let mtu {
    radio.peer = { _ in [[0x03] + ScriptedRadio.little(mtu)] }
    central.perform(.exchangeMTU(.maximum), on: link)
    radio.run()
    _ = central.takeEvents()
  }
  var requests: [[UInt8]] = []
  var remaining = responses[...]
  radio.peer = { pdu in
    requests.append(pdu)
    return remaining.popFirst().map { [$0] } ?? []
  }
  let id = central.perform(operation, on: link)
  radio.run()
  var outcome: Result<OperationOutput, OperationError>?
  while let event = central.nextEvent() {
    if case .completed(id, link, let result) = event { outcome = result }
  }
  return (requests, outcome)
}
