import BluetoothHost
import LinuxRadio

/// The peripheral's half of a device.
struct PeripheralProgram: RadioProgram, ~Copyable {
  private let engine: PeripheralEngine
  private var isRadioReady = false
  private var isEnding = false

  /// A program that serves `engine`, which forgets what it did for another one.
  init(_ engine: PeripheralEngine) {
    self.engine = engine
    engine.renew()
  }

  mutating func radioIsReady(at now: Instant) {
    isRadioReady = true
    engine.radioIsReady(at: now)
  }

  mutating func radioIsLost(_ error: RadioError, at now: Instant) {
    isRadioReady = false
    engine.radioIsLost()
  }

  mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    engine.receive(packet, at: now)
  }

  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    engine.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? { engine.host.deadline }
  mutating func advance(to now: Instant) { engine.advance(to: now) }
  mutating func turnEnded() {}

  /// Advertising ends, and every link.
  mutating func shutDown(at now: Instant) {
    isEnding = true
    engine.host.shutDown()
  }

  var isFinished: Bool { isEnding && (engine.host.isShutDown || !isRadioReady) }
}
