import BallRunner
import BluetoothHost
import EightBall

/// A machine without devices, so that the whole runner is compiled.
struct EmptyPort: Port, ~Copyable {
  var now: Instant { Instant(rawValue: 0) }
  var endRequests: Int { 1 }
  mutating func wait(until deadline: Instant?) -> Bool { deadline != nil }

  mutating func openRadio(at now: Instant) -> RadioOpening { .opened }
  mutating func closeRadio() {}
  var isPacketwise: Bool { false }
  mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    .bytes(space.count)
  }
  mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite { .taken(bytes.count) }

  var hasPanel: Bool { true }
  mutating func openLines() -> Bool { true }
  mutating func closeLines() {}
  func debounce(of button: ButtonName) -> UInt32 { 20 }
  mutating func contact(of button: ButtonName) -> ContactRead { .open }
  mutating func nextEdge() -> EdgeRead { .none }
  mutating func listen(toEdges isListening: Bool) {}
  mutating func set(_ light: LightName, isLit: Bool) -> Bool { true }
  mutating func checkLines() -> Bool { true }
  mutating func takeLinesChange() -> LinesChange { .none }
  func writeLinesError(to writer: inout ByteWriter) {}

  mutating func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult {
    .taken(bytes.count)
  }
  func writeRadioName(to writer: inout ByteWriter) {}
  func writeRadioError(to writer: inout ByteWriter) {}

  var hasServiceManager: Bool { true }
  var watchdogTimeout: UInt32? { 1_000 }
  mutating func report(_ message: Span<UInt8>) -> Bool { true }
}

/// Runs a ball for one central and one for four, for people and for programs.
@c(eightball_runner_entry)
public func runnerEntry() {
  let configuration = BallConfiguration(
    host: HostConfiguration(
      name: DeviceName(StaticText("Magic 8-Ball")), service: .ballService, address: .public),
    seed: 8)
  var small = BallRunner<1, 526, 1_024, 0, EmptyPort>(configuration, on: EmptyPort())
  _ = small.run()
  var large = BallRunner<4, 2_053, 8_192, 0, EmptyPort>(configuration, on: EmptyPort())
  _ = large.run()
}
