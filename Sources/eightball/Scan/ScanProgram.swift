import BluetoothHost
import LinuxRadio

/// Scans for advertising devices for a while, or follows the periodic advertising of one.
struct ScanProgram: RadioTask, ~Copyable {
  /// Why the radio failed; `nil` if it did not.
  private(set) var failure: RadioError?

  private var host:
    Host<
      1, NoServer, ScanningClient<1, ClientEvents, PeriodicScanner<8, 1_650, 1, 1_650>>,
      NoSecurity, NoChannels
    >
  private let duration: UInt32?
  private var printer: ScanPrinter
  private var follower: TrainFollower?
  /// When the scan ends; `nil` until the radio is ready, or for never.
  private var end: Instant?
  /// When the program ends at the latest; `nil` during the scan.
  private var shutdownEnd: Instant?
  private var hasTimedOut = false

  /// - Parameters:
  ///   - duration: How long to listen, in milliseconds from when the radio is ready; `nil` until it is
  ///     interrupted.
  ///   - follower: Follows a train; `nil` to list the devices.
  init(
    duration: UInt32?, address: OwnAddress, printer: ScanPrinter, follower: TrainFollower? = nil
  ) {
    self.duration = duration
    self.printer = printer
    self.follower = follower
    host = Host(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("eightball")), service: nil, address: address),
      server: NoServer(),
      client: ScanningClient(application: ClientEvents(reportsChangesOnly: true)))
  }

  /// Whether it has followed a train.
  var hasFollowed: Bool { follower?.hasFollowed ?? false }

  /// The scan is over: prints the devices without a name, and the number of devices.
  mutating func printEnd() {
    if follower == nil { printer.ends() }
  }

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
      case .ready: begin(at: now)
      case .broken(let error): fail(error, at: now)
      case .heard(let device):
        guard let target = follower?.target else {
          printer.heard(device)
          continue
        }
        if target.matches(device), device.train != nil {
          follower?.device = device
          synchronize()
        }
      case .synchronized(let phy, let interval):
        host.scan(nil)
        follower?.begins(phy, interval)
      case .train(let report): follower?.received(report)
      case .unsynchronized(let reason):
        follower?.ends()
        // After a reset the radio is ready later.
        guard reason != .hardwareFailure else { continue }
        scan()
        synchronize()
      default: break
      }
    }
  }

  /// The radio is ready.
  private mutating func begin(at now: Instant) {
    guard follower == nil || host.supportsPeriodicAdvertising else {
      return fail(RadioError("the controller has no periodic advertising"), at: now)
    }
    end = end ?? duration.map { now.advanced(by: $0) }
    scan()
    synchronize()
  }

  private mutating func scan() {
    var parameters = ScanParameters()
    // A train may begin after the first report of its set.
    parameters.filtersDuplicates = follower == nil
    host.scan(parameters)
  }

  /// Begins to follow the train, if it is known; once, as long as that lasts.
  private mutating func synchronize() {
    guard let train = follower?.device?.train else { return }
    _ = host.synchronize(with: train)
  }

  private mutating func fail(_ error: RadioError, at now: Instant) {
    failure = error
    shutDown(at: now)
  }

  private mutating func shutDown(at now: Instant) {
    guard shutdownEnd == nil else { return }
    shutdownEnd = now.advanced(by: 2_000)
    end = nil
    host.shutDown()
  }
}
