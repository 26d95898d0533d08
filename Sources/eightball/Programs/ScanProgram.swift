import BluetoothCentral
import BluetoothHost
import LinuxBoard
import LinuxRadio

/// A central that listens to advertisers for a while, as something to run on a radio.
struct ScanProgram: RadioProgram {
  /// Why the scan ended before its time.
  private(set) var failure: RadioError?
  private(set) var isFinished = false

  private let central = Central(
    configuration: CentralConfiguration(randomAddress: .newRandom()))
  private let duration: UInt32
  private let printer: ScanPrinter
  private var end: Instant?

  /// - Parameter duration: How long to listen, in milliseconds from when the radio is ready.
  init(duration: UInt32, printer: ScanPrinter) {
    self.duration = duration
    self.printer = printer
    central.scan()
  }

  mutating func radioIsReady(at now: Instant) {
    central.start(at: now)
  }

  mutating func radioIsLost(_ error: RadioError, at now: Instant) {
    fail(error)
  }

  mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    central.receive(packet, at: now)
    tellEvents(at: now)
  }

  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    central.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? { [central.deadline, end].compactMap { $0 }.min() }

  mutating func advance(to now: Instant) {
    central.advance(to: now)
    tellEvents(at: now)
    if let end, end <= now { isFinished = true }
  }

  mutating func turnEnded() {}

  mutating func shutDown(at now: Instant) {
    isFinished = true
  }

  private mutating func tellEvents(at now: Instant) {
    while let event = central.nextEvent() {
      switch event {
      case .ready:
        if end == nil { end = now.advanced(by: duration) }
      case .discovered(let discovery):
        printer.heard(discovery)
      case .scanFailed(let code):
        fail(
          RadioError("the controller refuses to scan: HCI error 0x\(hexadecimal(code.rawValue))"))
      case .radioFailed(let fault):
        fail(RadioError(fault.description))
      default:
        continue
      }
    }
  }

  private mutating func fail(_ error: RadioError) {
    if failure == nil { failure = error }
    isFinished = true
  }
}
