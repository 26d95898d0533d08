import BluetoothHost
import EightBall
import LinuxRadio

/// Serves a peripheral of a file: the host's own server, its timelines, and its faults.
///
/// A class, since the compiler makes functions of 15 kB that move a struct of this size.
final class PeripheralProgram: RadioTask {
  /// A host that is only a server, with a set for a periodic advertising train.
  typealias Host = BluetoothHost.Host<
    4,
    AdvertisingServer<
      4, PeripheralDatabase, PeripheralApplication,
      PeriodicAdvertisingSets<1, 31, 252>
    >, NoClient,
    SecurityManager<4, P256KeyAgreement, AirRandom, BondTable<16>, PairingPrompts>,
    CreditBasedChannels<4, 8, PeripheralBearers>
  >

  private(set) var host: Host
  private(set) var bonds: KeptBonds
  private let peripheral: PeripheralDescription
  private let advertisement: Advertisement?
  private var printer: PeripheralPrinter
  private let columns: [CSVColumn]
  private let seed: UInt64
  /// The timelines, from when the radio was ready first.
  private var timelines: [RunningTimeline] = []
  private var hasStarted = false
  /// When the peripheral falls silent; `nil` for never.
  private var vanishing: Instant?
  private var hasVanished = false
  /// The values that the train would have if all of them fitted, and those that it has.
  private var wantedValues: [String: [UInt8]] = [:]
  private var trainValues: [String: [UInt8]] = [:]
  private var hasWarned = false
  /// Why the radio could not be used before it was ready; `nil` otherwise.
  private(set) var failure: RadioError?
  private var isRadioReady = false
  private var shutdownEnd: Instant?
  private var hasTimedOut = false

  /// - Parameters:
  ///   - address: The address, unless it is `automatic` and the description has one.
  ///   - seed: The seed of the random walks, and on simulated time of its keys.
  ///   - name: Its name instead of the file's.
  ///   - connections: How many centrals it serves at once instead of the file's number.
  ///   - replays: Whether it replays the session of the file.
  ///   - bonds: The bonds with centrals, which the program takes.
  ///   - time: The time on its radio.
  init(
    _ loaded: LoadedPeripheral, address: AddressChoice, seed: UInt64?, printer: PeripheralPrinter,
    name: String? = nil, connections: Int? = nil, replays: Bool = false,
    bonds: consuming KeptBonds = KeptBonds(), time: AirTime = AirTime()
  ) {
    var peripheral = loaded.peripheral
    if let name { peripheral.name = name }
    if let connections { peripheral.connections = connections }
    self.peripheral = peripheral
    self.printer = printer
    columns = loaded.columns
    self.seed = seed ?? .random(in: .min ... .max)
    let advertisement = peripheral.advertising
    self.advertisement = advertisement
    let choice = address == .automatic ? peripheral.address : address
    // In units of 0.625 ms.
    let interval = UInt16(clamping: peripheral.interval * 8 / 5)
    let services = peripheral.services.flatMap(\.characteristics)
    let isAuthenticated = services.contains { $0.security.rawValue & 0x2A != 0 }
    let isProtected = services.contains { characteristic in
      characteristic.security != .none
        || characteristic.descriptors.contains { $0.security != .none }
    }
    let policy = PairingPolicy(
      isOpen: isProtected || peripheral.hasEnhancedBearers,
      ioCapability: isAuthenticated ? .displayOnly : .noInputNoOutput)
    let own = bonds.own(choice)
    let random = bonds.random(choice, of: time, seed: seed)
    self.bonds = bonds
    host = Host(
      configuration: HostConfiguration(
        name: DeviceName(prefixOf: Array(peripheral.name.utf8).span)
          ?? DeviceName(StaticText("Peripheral")),
        service: nil, address: own, advertisingInterval: interval...max(interval, 32)),
      server: AdvertisingServer(
        database: PeripheralDatabase(peripheral),
        application: PeripheralApplication(peripheral, connections: 4, replays: replays)),
      client: NoClient(),
      security: SecurityManager(
        policy: policy, identity: nil, bonds: BondTable<16>(), delegate: PairingPrompts(),
        agreement: P256KeyAgreement(), random: random),
      channels: CreditBasedChannels(
        application: PeripheralBearers(isPresent: peripheral.hasEnhancedBearers), mps: .twoPackets))
    host.security.bonds = self.bonds.takeBonds()
    host.advertise(advertisement)
    startTrain()
  }

  /// Ends all connections. The next turn gives the commands to the radio.
  func disconnectAll() { host.disconnectAll() }

  /// The session that is replayed; `nil` for none.
  var script: SessionScript? { host.server.application.script }

  // MARK: RadioTask

  func radioIsReady(at now: Instant) {
    isRadioReady = true
    // Beside bluetoothd, it protects the values, and pairs.
    host.security.linkSecurity = bonds.linkSecurity
    host.start(at: now)
    guard !hasStarted else { return }
    hasStarted = true
    vanishing = peripheral.faults.vanish.map { now.advanced(by: $0) }
    for characteristic in peripheral.services.flatMap(\.characteristics) {
      guard let timeline = characteristic.timeline else { continue }
      let handle = characteristic.valueHandle
      timelines.append(
        RunningTimeline(
          timeline, at: handle, column: columns.first { $0.handle == handle }?.numbers ?? [],
          from: now, seed: seed))
    }
  }

  func exportAttributes<Port: RadioPort & ~Copyable>(to port: inout Port) {
    host.server.exportAttributes(to: &port)
  }

  func radioFailed(_ error: RadioError, at now: Instant) {
    host.radioLost()
    if !hasStarted { failure = error }
    if isRadioReady { printer.lost(error) }
    isRadioReady = false
  }

  func receive(_ packet: Span<UInt8>, at now: Instant) {
    host.server.application.now = now
    host.receive(packet, at: now)
    follow(at: now)
  }

  var mayHavePacket: Bool { host.mayHavePacket }

  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    host.nextPacket(into: &writer, at: now)
  }

  func advance(to now: Instant) {
    host.advance(to: now)
    if !isShuttingDown, !hasVanished {
      if let vanishing, vanishing <= now {
        hasVanished = true
        host.server.application.vanish()
      }
      advanceTimelines(to: now)
      host.server.application.now = now
      host.server.application.replay(at: now)
      while let index = host.server.application.takeDue(at: now) {
        host.resume(at: index)
        host.server.application.endDue(at: index)
      }
    }
    follow(at: now)
    if let shutdownEnd, shutdownEnd <= now { hasTimedOut = true }
  }

  /// Goes on with each timeline whose next number is due.
  private func advanceTimelines(to now: Instant) {
    for index in timelines.indices {
      while timelines[index].due <= now {
        host.server.application.advance(&timelines[index])
      }
    }
  }

  /// Does what follows from the host's last call.
  private func follow(at now: Instant) {
    while let index = host.server.application.takeDropped() { host.disconnect(at: index) }
    if host.connectionCount < peripheral.connections {
      host.advertise(advertisement)
    } else {
      host.advertise(nil)
    }
    updateTrain()
    checkTrain()
    if host.security.delegate.hasNews { showPairing() }
  }

  /// Broadcasts values, if the file says so.
  private func startTrain() {
    guard let train = peripheral.train else { return }
    let interval = peripheral.interval * 8 / 5
    wantedValues = currentValues(of: train)
    trainValues = wantedValues
    // The file's values fit.
    let data = peripheral.trainData(trainValues) ?? []
    let set = AdvertisingSet(.nonconnectable, interval: interval...max(interval, 32))
    _ = host.advertise(set, peripheral.trainSetData.span, in: 0)
    _ = host.advertise(train.parameters, data.span, withSet: 0)
  }

  private func currentValues(of train: PeripheralTrain) -> [String: [UInt8]] {
    var values: [String: [UInt8]] = [:]
    for label in train.labels { values[label] = host.server.application.bytes(of: label) }
    return values
  }

  /// Broadcasts the values that have changed. One that does not fit keeps its last value in the train.
  private func updateTrain() {
    guard let train = peripheral.train else { return }
    let values = currentValues(of: train)
    guard values != wantedValues else { return }
    let fitsWhole = peripheral.trainData(values) != nil
    for label in train.labels where values[label] != trainValues[label] {
      var next = trainValues
      next[label] = values[label]
      if fitsWhole || peripheral.trainData(next) != nil {
        trainValues = next
      } else if values[label] != wantedValues[label] {
        host.server.application.keepBroadcast(of: label)
      }
    }
    wantedValues = values
    guard let data = peripheral.trainData(trainValues) else { return }
    _ = host.advertise(train.parameters, data.span, withSet: 0)
  }

  /// Says once that the controller cannot broadcast.
  private func checkTrain() {
    guard peripheral.train != nil, !hasWarned, !host.supportsPeriodicAdvertising else { return }
    switch host.radio {
    case .advertising, .silent: break
    case .starting, .fault: return
    }
    hasWarned = true
    printError(
      "The controller has no periodic advertising: the values of “periodic” are not broadcast.",
      reason: "radio", isJSON: printer.isJSON, print: printer.print, note: printer.print)
  }

  private func showPairing() {
    if let prompt = host.security.delegate.takePrompt() { printer.asks(prompt) }
    if let outcome = host.security.delegate.takeOutcome() { printer.paired(outcome) }
    _ = host.security.delegate.takeKeyFailure()
  }

  func turnEnded(at now: Instant) {
    for event in host.server.application.takeEvents() {
      printer.print(event, of: peripheral, at: host.address)
    }
    printer.flush()
    guard host.security.bonds.isChanged else { return }
    bonds.keep(host.security.bonds, as: host.address)
    host.security.bonds.markKept()
  }

  func interrupt(at now: Instant) {
    if isShuttingDown { hasTimedOut = true } else { shutDown(at: now) }
  }

  private var isShuttingDown: Bool { shutdownEnd != nil }

  private func shutDown(at now: Instant) {
    guard !isShuttingDown else { return }
    shutdownEnd = now.advanced(by: 2_000)
    host.shutDown()
  }

  var deadline: Instant? {
    guard !hasVanished else { return shutdownEnd }
    var earliest = Instant.earlier(host.deadline, shutdownEnd)
    guard !isShuttingDown else { return earliest }
    earliest = .earlier(earliest, .earlier(vanishing, host.server.application.deadline))
    for timeline in timelines { earliest = .earlier(earliest, timeline.due) }
    return earliest
  }

  var wantsRadio: Bool { !hasVanished }

  var isFinished: Bool {
    failure != nil || hasTimedOut || isShuttingDown && (hasVanished || host.isShutDown)
  }
}
