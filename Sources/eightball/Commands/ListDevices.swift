import BluetoothHost
import LinuxPort
import LinuxRadio

/// Lists the advertising devices, or follows the periodic advertising of one.
struct ListDevices: RadioCommand {
  static let page = CommandPage(
    name: "scan",
    abstract: "List the devices that advertise nearby, and which of them are balls.",
    discussion: """
      Prints a device as soon as its name is known, or else at the end; and again when its periodic \
      advertising is found.

      --follow prints each packet of a device's periodic advertising instead, without a connection, until \
      Control-C. `periodic` in the list marks the devices that have it.

      EXAMPLES
        eightball scan
        eightball scan --radio hci0 --timeout 10s
        eightball scan --json
        eightball scan --follow "Weather station"

      EXIT STATUS
        0   the scan is over
        1   an unexpected failure
        64  the command line is wrong
        66  the device to follow was not found
        69  the radio cannot be used
        74  the list cannot be written
      """)

  static var options: [ToolOption<ListDevices>] {
    [
      .value(
        OptionRow(
          "--timeout", "<time>",
          "How long to listen, such as 10s or 500ms. Default: 5s; with --follow, until Control-C.")
      ) {
        $0.timeout = try $1.time(upTo: TimeOption.hour)
        $0.hasTimeout = true
      },
      .value(
        OptionRow(
          "--follow", "<device>",
          "Follow the periodic advertising of the device with this name or address.")
      ) { $0.device = $1.text },
    ] + radioRows + [.flag(.json) { $0.isJSON = true }]
  }

  var timeout = TimeOption(milliseconds: 5_000)
  private var hasTimeout = false
  var device: String?
  var addressOptions = AddressOptions()
  var radioOptions = RadioOptions()
  var isJSON = false

  func validate() throws(UsageError) {
    guard device != "" else { throw UsageError("--follow is empty: give a name or an address.") }
    try addressOptions.validate(on: radioOptions.radio)
  }

  func run() throws {
    let printer = ScanPrinter(isJSON: isJSON)
    try reportingErrors(with: printer.failed) {
      let chosen = ChosenRadio(radioOptions.radio)
      let sinks = try radioOptions.sinks()
      printer.begins(chosen)
      let target = device.map { CentralTarget($0) }
      var program = ScanProgram(
        duration: target == nil || hasTimeout ? timeout.milliseconds : nil,
        address: try addressOptions.choice.own, printer: printer,
        follower: target.map { TrainFollower(of: $0, isJSON: isJSON) })
      var radio = try ToolRadio(chosen.name, watchedBy: sinks)
      try radio.run(&program)
      if let failure = program.failure { throw failure }
      program.printEnd()
      warn(ofErrorsOf: sinks)
      if let target, !program.hasFollowed {
        printer.failed(
          "\(target.text) was not found with periodic advertising. eightball scan lists what "
            + "advertises.", reason: "not found")
        throw ExitStatus.noBall
      }
    }
  }
}

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

/// Prints the devices heard: each device once for people, each change for programs.
struct ScanPrinter {
  private struct Heard {
    var device: NearbyDevice
    var isPrinted = false
  }

  private let isJSON: Bool
  private var heard: [Heard] = []

  init(isJSON: Bool) {
    self.isJSON = isJSON
  }

  func begins(_ radio: ChosenRadio) {
    guard !isJSON else { return }
    Terminal.note(radio.sentence)
    Terminal.note("Listening…")
  }

  mutating func heard(_ device: NearbyDevice) {
    if isJSON { return Self.printJSON(device) }
    let index = heard.firstIndex { $0.device.address == device.address } ?? heard.count
    if index == heard.count { heard.append(Heard(device: device)) }
    // The set of a train may be received after another set of the device.
    if heard[index].device.train == nil, device.train != nil { heard[index].isPrinted = false }
    heard[index].device = device
    if device.name != nil { print(index) }
  }

  /// Prints the devices without a name, and the number of devices.
  mutating func ends() {
    guard !isJSON else { return }
    for index in heard.indices { print(index) }
    let balls = heard.count { $0.device.isBall }
    let devices = heard.count == 1 ? "1 device" : "\(heard.count) devices"
    Terminal.note("\(devices), \(balls) of them \(balls == 1 ? "a ball" : "balls").")
  }

  func failed(_ text: String, reason: String) {
    printError(text, reason: reason, isJSON: isJSON)
  }

  private mutating func print(_ index: Int) {
    guard !heard[index].isPrinted else { return }
    heard[index].isPrinted = true
    let device = heard[index].device
    let name = device.name.map { "“\(printable($0))”" } ?? "(no name)"
    let rssi = device.rssi.map { strength($0) } ?? "? dBm"
    let padding = String(repeating: " ", count: max(0, 8 - rssi.count))
    let ball = device.isBall ? "  ball" : ""
    let range = device.isCoded ? "  long range" : ""
    let train = device.trainInterval.map { "  periodic \(timeText($0))" } ?? ""
    Terminal.print("\(device.address.text)  \(padding)\(rssi)  \(name)\(ball)\(range)\(train)")
  }

  private static func printJSON(_ device: NearbyDevice) {
    var line = JSONLine(event: "found")
    line.add("name", device.name)
    line.add("address", device.address)
    line.add("kind", device.address.kindText)
    line.add("rssi", device.rssi)
    line.add("connectable", device.isConnectable)
    line.add("extended", device.isExtended)
    line.add("coded", device.isCoded)
    line.add("periodic", device.trainInterval.map(Int.init))
    line.add("services", texts: device.services.map(\.text))
    line.add("ball", device.isBall)
    line.print()
  }
}
