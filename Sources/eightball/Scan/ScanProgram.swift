import BluetoothHost
import LinuxRadio

/// Scans for advertising devices for a while.
struct ScanProgram: RadioTask, ~Copyable {
  /// Why the radio failed; `nil` if it did not.
  private(set) var failure: RadioError?

  private var host: Central<1, ClientEvents>
  private let duration: UInt32
  private var printer: ScanPrinter
  /// When the scan ends; `nil` until the radio is ready.
  private var end: Instant?
  /// When the program ends at the latest; `nil` during the scan.
  private var shutdownEnd: Instant?
  private var hasTimedOut = false

  /// - Parameter duration: How long to listen, in milliseconds from when the radio is ready.
  init(duration: UInt32, address: OwnAddress, printer: ScanPrinter) {
    self.duration = duration
    self.printer = printer
    host = Central(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("eightball")), service: nil, address: address),
      application: ClientEvents(reportsChangesOnly: true))
  }

  /// The scan is over: prints the devices without a name, and the number of devices.
  mutating func printEnd() { printer.ends() }

  mutating func radioIsReady(at now: Instant) { host.start(at: now) }

  mutating func radioFailed(_ error: RadioError, at now: Instant) {
    if shutdownEnd == nil { failure = error }
    host.radioLost()
    shutDown(at: now)
  }

  mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    host.client.application.now = now
    host.receive(packet, at: now)
    handleEvents(at: now)
  }

  var mayHavePacket: Bool { host.mayHavePacket }

  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    host.nextPacket(into: &writer, at: now)
  }

  mutating func advance(to now: Instant) {
    host.advance(to: now)
    host.client.application.advance(to: now)
    handleEvents(at: now)
    if let end, end <= now { shutDown(at: now) }
    if let shutdownEnd, shutdownEnd <= now { hasTimedOut = true }
  }

  mutating func interrupt(at now: Instant) { shutDown(at: now) }

  var deadline: Instant? {
    .earlier(.earlier(host.deadline, host.client.application.deadline), shutdownEnd ?? end)
  }

  var isFinished: Bool { shutdownEnd != nil && host.isShutDown || hasTimedOut }

  private mutating func handleEvents(at now: Instant) {
    for event in host.client.application.takeEvents() where shutdownEnd == nil {
      switch event {
      case .ready:
        end = end ?? now.advanced(by: duration)
        host.scan(ScanParameters())
      case .broken(let error):
        failure = error
        shutDown(at: now)
      case .heard(let device): printer.heard(device)
      default: break
      }
    }
  }

  private mutating func shutDown(at now: Instant) {
    guard shutdownEnd == nil else { return }
    shutdownEnd = now.advanced(by: 2_000)
    end = nil
    host.shutDown()
  }
}
