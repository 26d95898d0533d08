import BluetoothHost

// The command `subrate`.
extension GATTProgram {
  /// Requests that the link uses one connection event in `factor`.
  mutating func requestSubrate(_ factor: Int, continuation: Int, at now: Instant) {
    // More than twice the time between two used events of up to 80 ms, as the specification requires.
    let timeout = min(max(500, factor * 16), 3_200)
    let parameters = SubrateParameters(
      minimumFactor: UInt16(factor), maximumFactor: UInt16(factor),
      continuationNumber: UInt16(continuation), supervisionTimeout: UInt16(timeout))
    guard session.host.requestSubrate(parameters, at: 0) else {
      return fail(
        "The controller has no connection subrating.", reason: "radio", .unavailable, at: now)
    }
    waiting = .subrate
  }

  mutating func subrateChanged(_ subrate: LESubrateChange, at now: Instant) {
    printer.subrate(subrate)
    if waiting == .subrate { waiting = nil }
  }

  mutating func subrateFailed(_ reason: HCIErrorCode, at now: Instant) {
    guard waiting == .subrate else { return }
    waiting = nil
    let text =
      reason == .unsupportedRemoteFeature
      ? "The device has no connection subrating."
      : "The link keeps its connection events: error 0x\(hexadecimalText([reason.rawValue]))."
    fail(text, reason: "refused", .refused, at: now)
  }
}

extension GATTPrinter {
  /// The link has another subrate.
  fileprivate func subrate(_ subrate: LESubrateChange) {
    let timeout = Int(subrate.supervisionTimeout) * 10
    guard isJSON else {
      let more =
        subrate.continuationNumber == 0 ? "" : ", and \(subrate.continuationNumber) after data"
      return note("The link uses one connection event in \(subrate.factor)\(more).")
    }
    var line = JSONLine(event: "subrate")
    line.add("factor", Int(subrate.factor))
    line.add("latency", Int(subrate.latency))
    line.add("continuation", Int(subrate.continuationNumber))
    line.add("timeout", timeout)
    print(line.text)
  }
}
