import BluetoothHost
import LinuxPort
import LinuxRadio

/// Lists the advertising devices.
struct ListDevices: RadioCommand {
  static let page = CommandPage(
    name: "scan",
    abstract: "List the devices that advertise nearby, and which of them are balls.",
    discussion: """
      Prints a device as soon as its name is known, or else at the end.

      EXAMPLES
        eightball scan
        eightball scan --radio hci0 --timeout 10s
        eightball scan --json

      EXIT STATUS
        0   the scan is over
        1   an unexpected failure
        64  the command line is wrong
        69  the radio cannot be used
        74  the list cannot be written
      """)

  static var options: [ToolOption<ListDevices>] {
    [
      .value(
        OptionRow(
          "--timeout", "<time>", "How long to listen, such as 10s or 500ms; default: 5s.")
      ) { $0.timeout = try $1.time(upTo: TimeOption.hour) }
    ] + radioRows + [.flag(.json) { $0.isJSON = true }]
  }

  var timeout = TimeOption(milliseconds: 5_000)
  var addressOptions = AddressOptions()
  var radioOptions = RadioOptions()
  var isJSON = false

  func validate() throws(UsageError) { try addressOptions.validate(on: radioOptions.radio) }

  func run() throws {
    let printer = ScanPrinter(isJSON: isJSON)
    try reportingErrors(with: printer.failed) {
      let chosen = ChosenRadio(radioOptions.radio)
      let sinks = try radioOptions.sinks()
      printer.begins(chosen)
      var program = ScanProgram(
        duration: timeout.milliseconds, address: try addressOptions.choice.own, printer: printer)
      var radio = try ToolRadio(chosen.name, watchedBy: sinks)
      try radio.run(&program)
      if let failure = program.failure { throw failure }
      program.printEnd()
      warn(ofErrorsOf: sinks)
    }
  }
}

/// Scans for advertising devices for a while.
struct ScanProgram: RadioTask, ~Copyable {
  /// Why the radio failed; `nil` if it did not.
  private(set) var failure: RadioError?

  private var host: Host<1, NoServer, ToolClient, NoSecurity, NoChannels>
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
    host = Host(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("eightball")), service: nil, address: address),
      server: NoServer(),
      client: ToolClient(application: ClientEvents(reportsChangesOnly: true)))
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
    Terminal.print("\(device.address.text)  \(padding)\(rssi)  \(name)\(ball)\(range)")
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
    line.add("services", texts: device.services.map(\.text))
    line.add("ball", device.isBall)
    line.print()
  }
}
