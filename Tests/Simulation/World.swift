import BluetoothHost
import VirtualRadio

/// Balls and centrals on one air, in one thread, on simulated time.
final class World {
  let bench: AirBench
  private let setup: Setup
  private var balls: [AirDevice<SimulatedBall>] = []
  private var centrals: [AirDevice<SimulatedCentral>] = []
  private var random: SplitMix64
  /// What must never happen, and has happened; `nil` if nothing has.
  private(set) var violation: String?

  init(_ setup: Setup) {
    self.setup = setup
    bench = AirBench(seed: setup.seed)
    random = SplitMix64(seed: setup.seed)
    // Keys are computed in short steps.
    bench.deadlineLimit = 100_000
    let report = { [unowned self] (text: String) in
      if violation == nil { violation = "\(text), at \(bench.now.rawValue) ms" }
    }
    let configuration = ControllerConfiguration(
      aclDataLength: setup.dataLength, aclPacketCount: setup.bufferCount,
      supportsExtendedAdvertising: setup.isExtended, supportsPrivacy: setup.doControllersResolve)
    for number in 0..<setup.ballCount {
      let ball = SimulatedBall(number, setup, report)
      let device = bench.add(ball, on: bench.air.addController(configuration: configuration))
      ball.machine.resetRadio = { [unowned device] in device.controller.fail(hardwareCode: nil) }
      ball.address = { [unowned device] in device.controller.currentAddress }
      ball.refusedPackets = { [unowned device] in device.controller.counters.refusedPackets }
      balls.append(device)
    }
    for number in 0..<setup.centralCount {
      let device = bench.add(
        SimulatedCentral(
          number, setup, hasFault: { [unowned self] in hasFault($0) }, report: report),
        on: bench.air.addController(
          configuration: ControllerConfiguration(
            supportsExtendedAdvertising: setup.isExtended,
            supportsPrivacy: setup.doControllersResolve)))
      device.host.start(at: bench.now)
      centrals.append(device)
    }
  }

  /// Carries out the steps, until something happens that must not.
  ///
  /// - Returns: What has happened; `nil` if all is well.
  func run(_ steps: [Step]) -> String? {
    for step in steps {
      perform(step)
      // Often the next step comes while packets are on their way.
      for _ in 0..<random.next() % 12 where violation == nil && !bench.carryOne() { break }
      if random.next() % 2 == 0 { pass(0) }
      check()
      if violation != nil { break }
    }
    return violation
  }

  /// How many answers the centrals have got.
  var answerCount: Int { centrals.reduce(0) { $0 + $1.host.answerCount } }

  private func ball(_ number: Int) -> SimulatedBall { balls[number % balls.count].host }
  private func central(_ number: Int) -> SimulatedCentral { centrals[number % centrals.count].host }

  private func perform(_ step: Step) {
    switch step {
    case .wait(let milliseconds): pass(milliseconds)
    case .connect(let number, let other):
      central(number).connect(to: ball(other))
    case .disconnect(let number): central(number).disconnect()
    case .subscribe(let number, let isWanted): central(number).subscribe(isWanted)
    case .ask(let number, let times): central(number).ask(times)
    case .command(let number): central(number).command()
    case .state(let number): central(number).state()
    case .read(let number): central(number).read()
    case .scan(let number): central(number).scan()
    case .discover(let number): central(number).discover()
    case .pair(let number): central(number).pair()
    case .forget(let number): central(number).forget()
    case .restart(let number):
      centrals[number % centrals.count].controller.fail(hardwareCode: nil)
      central(number).restart()
    case .noise(let number, let seed): sendNoise(seed, from: number)
    case .press(let number, let button, let milliseconds):
      ball(number).press(button, for: milliseconds)
    case .bounce(let number, let button, let edges): ball(number).bounce(button, edges: edges)
    case .removeChip(let number): ball(number).removeChip()
    case .restoreChip(let number): ball(number).machine.lines.chip.restore()
    case .end(let number): ball(number).end()
    case .kill(let number): ball(number).stop(for: 500)
    case .cutPower(let number, let calls): ball(number).machine.disk.cutPower(afterCalls: calls)
    case .powerCut(let number): ball(number).cutPower()
    case .fail(let number, let failure): ball(number).machine.disk.failure = failure
    case .sleep(let number, let milliseconds): ball(number).sleep(for: milliseconds)
    case .stall(let number, let milliseconds): ball(number).stall(for: milliseconds)
    case .block(let number, let milliseconds): ball(number).block(for: milliseconds)
    case .unplug(let number): unplug(number)
    case .plugIn(let number): plugIn(number)
    case .fault(let fault, let device): begin(fault, of: device)
    case .loss(let percent):
      bench.air.linkLayer = percent == 0 ? nil : LinkLayerModel(packetLoss: Double(percent) / 100)
    case .separate(let number, let other): setContact(false, number, other)
    case .join(let number, let other): setContact(true, number, other)
    case .recover: recover()
    }
  }

  // MARK: Time

  /// Carries packets and lets time pass.
  private func pass(_ milliseconds: UInt32, until isDone: () -> Bool = { false }) {
    do throws(AirBenchError) {
      _ = try bench.run(for: milliseconds) { violation != nil || isDone() }
    } catch {
      violation = violation ?? "\(error)"
    }
  }

  /// What holds after each step.
  private func check() {
    for device in centrals {
      device.host.check()
      checkBuffers(device.controller, "central \(device.host.number)")
    }
    for device in balls { checkBuffers(device.controller, "ball \(device.host.number)") }
  }

  // MARK: Faults

  /// The controllers whose packets were changed since they came.
  private var changed: Set<Int> = []

  private func checkBuffers(_ controller: VirtualController, _ name: String) {
    guard violation == nil, !changed.contains(controller.number) else { return }
    let counters = controller.counters
    if counters.refusedPackets > 0 {
      violation =
        "\(name): its host sent more, or longer, packets than its controller takes: \(counters)"
    }
  }

  /// Whether packets of a new link with the ball may be lost or changed: a serial line stays out of step after a fault.
  private func hasFault(_ ball: SimulatedBall) -> Bool {
    let controller = balls[ball.number].controller
    return !controller.faults.isEmpty || setup.isSerial && changed.contains(controller.number)
      || centrals.contains { !$0.controller.faults.isEmpty }
  }

  private func begin(_ fault: ControllerFault, of device: Device) {
    let controller: VirtualController
    switch device {
    case .ball(let number):
      controller = balls[number % balls.count].controller
      for other in centrals { other.host.disturb(ifWith: ball(number)) }
    case .central(let number):
      controller = centrals[number % centrals.count].controller
      central(number).disturb()
    }
    changed.insert(controller.number)
    SimulatedFaults.begin(fault, of: controller)
  }

  /// A PDU of a peer that keeps no rules.
  private func sendNoise(_ seed: UInt64, from number: Int) {
    let controller = centrals[number % centrals.count].controller
    guard let handle = controller.connectionHandles.first else { return }
    var random = SplitMix64(seed: seed)
    let opcodes: [UInt8] = [0x02, 0x04, 0x08, 0x0A, 0x0C, 0x12, 0x16, 0x18, 0x1E, 0x20, 0x52, 0xD2]
    let channel = UInt8(random.next() % 4 == 0 ? 4 + random.next() % 3 : 4)
    var payload = (0..<random.next() % 24).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    if payload.count > 2 {
      payload[0] = channel == 4 ? opcodes[Int(random.next() % 12)] : UInt8(random.next() % 16)
      (payload[1], payload[2]) = (UInt8(random.next() % 0x24), 0)
    }
    let count = UInt8(payload.count)
    let packet: [UInt8] =
      [
        2, UInt8(truncatingIfNeeded: handle.rawValue),
        UInt8(truncatingIfNeeded: handle.rawValue >> 8),
      ]
      + [count + 4, 0, count, 0, channel, 0] + payload
    central(number).disturb()
    changed.insert(controller.number)
    controller.send(packet.span)
  }

  private func setContact(_ isInRange: Bool, _ number: Int, _ other: Int) {
    let controller = centrals[number % centrals.count].controller
    let others = balls[other % balls.count].controller
    bench.air.setSignalStrength(isInRange ? -50 : nil, from: controller, to: others)
    bench.air.setSignalStrength(isInRange ? -50 : nil, from: others, to: controller)
  }

  private func unplug(_ number: Int) {
    balls[number % balls.count].unplug()
    ball(number).machine.hasRadio = false
  }

  private func plugIn(_ number: Int) {
    let device = balls[number % balls.count]
    guard !device.isPluggedIn else { return }
    device.plugIn()
    device.host.machine.hasRadio = true
  }

  // MARK: Recovery

  /// How long a ball may take to advertise after the last fault, in milliseconds: the idle limit of five minutes is the
  /// last remedy for a controller that no longer answers about its links.
  static let recoveryLimit: UInt32 = 420_000

  private func recover() {
    bench.air.linkLayer = nil
    for index in balls.indices {
      plugIn(index)
      balls[index].controller.faults.removeAll()
      balls[index].host.recover()
      for other in centrals.indices { setContact(true, other, index) }
    }
    // The people with the centrals start them again: a central cannot know that an idle controller was reset.
    for index in centrals.indices {
      centrals[index].controller.faults.removeAll()
      perform(.restart(index))
    }
    pass(Self.recoveryLimit) {
      balls.allSatisfy { isInviting($0) } && centrals.allSatisfy { $0.host.isIdle }
    }
    guard violation == nil else { return }
    for device in balls where !isInviting(device) {
      violation =
        "ball \(device.host.number) does not advertise \(Self.recoveryLimit) ms after the last "
        + "fault, or has no buttons: \(device.host.radio), \(device.host.connectionCount) connections"
      return
    }
    for device in centrals where !device.host.isIdle {
      violation =
        "central \(device.host.number) keeps its link \(Self.recoveryLimit) ms after the last fault"
      return
    }
    for index in balls.indices where violation == nil {
      // A central notices a controller that was reset without a word: then the ball sets it up again.
      probe(index)
      find(index)
    }
  }

  /// A central must find all that the ball advertises.
  private func find(_ number: Int) {
    let central = central(number)
    let end = bench.now.advanced(by: Self.recoveryLimit)
    central.scan(for: ball(number).advertisedData)
    pass(4_000) { central.hasFoundAll }
    // The ball has to notice what its controller lost.
    while !central.hasFoundAll, violation == nil {
      guard bench.now < end else {
        violation = "a scan does not find all that ball \(number) advertises"
        return
      }
      pass(30_000)
      central.scan(for: ball(number).advertisedData)
      pass(4_000) { central.hasFoundAll }
    }
  }

  private func isInviting(_ device: AirDevice<SimulatedBall>) -> Bool {
    device.host.isRunning && device.host.radio == .advertising && device.controller.isAdvertising
      && device.host.machine.areLinesOpen
  }

  /// A central asks the ball, and must be answered: at once, or after the ball has noticed what its controller lost. If
  /// the ball protects its links, the central must be answered again when it comes back.
  private func probe(_ number: Int) {
    let central = central(number)
    let isProtected = ball(number).protection != .none
    let end = bench.now.advanced(by: Self.recoveryLimit)
    while !ask(number, central), violation == nil {
      guard bench.now < end else {
        violation = "ball \(number) does not answer \(Self.recoveryLimit) ms after the last fault"
        return
      }
      if isProtected { forgetBonds(number, central) }
    }
    if isProtected, !comesBack(number, central) {
      // A ball keeps its bond with a central that has lost its own and pairs again.
      forgetBonds(number, central)
      if !ask(number, central) || !comesBack(number, central), violation == nil {
        violation = "ball \(number) does not answer a central with a bond that comes back"
      }
    }
    central.subscribe(false)
    pass(1_000)
    leave(central)
  }

  private func leave(_ central: SimulatedCentral) {
    central.disconnect()
    pass(5_000) { central.isIdle }
  }

  private func forgetBonds(_ number: Int, _ central: SimulatedCentral) {
    central.disconnect()
    central.forget()
    ball(number).press(.clear, for: 10_500)
    pass(11_000)
  }

  /// Whether a central with a bond is answered when it comes back later: private addresses have changed, and no central
  /// may pair.
  private func comesBack(_ number: Int, _ central: SimulatedCentral) -> Bool {
    leave(central)
    let (first, second) = (balls[number].controller, centrals[number].controller)
    let addresses = (first.currentAddress, second.currentAddress)
    // A private address is used for a minute.
    pass(65_000)
    if setup.privateBalls[number], first.currentAddress == addresses.0 {
      violation = violation ?? "ball \(number) keeps its private address"
    }
    if setup.areCentralsPrivate, second.currentAddress == addresses.1 {
      violation = violation ?? "central \(number) keeps its private address"
    }
    pass(Self.recoveryLimit) { !ball(number).isPairingOpen }
    return ask(number, central, opensPairing: false)
  }

  /// Whether the ball answers a question within 20 s.
  private func ask(
    _ number: Int, _ central: SimulatedCentral, opensPairing: Bool = true
  ) -> Bool {
    let before = central.answerCount
    if ball(number).protection != .none, opensPairing {
      ball(number).press(.shake, for: 3_500)
      pass(4_000)
    }
    perform(.connect(number, to: number))
    pass(10_000) { central.isConnected }
    if ball(number).protection != .none {
      if !central.isEncrypted { central.secure() }
      pass(20_000) { central.isEncrypted || !central.isConnected }
    }
    central.subscribe(true)
    central.ask(1)
    pass(20_000) { central.answerCount > before || !central.isConnected }
    return central.answerCount > before
  }
}

extension VirtualController {
  /// The address that its host uses.
  fileprivate var currentAddress: DeviceAddress { randomAddress ?? address }
}

extension ControllerCounters {
  /// How many packets of its host the controller has not taken.
  fileprivate var refusedPackets: Int {
    packetsBeyondCredits + oversizedPackets + malformedPackets
  }
}
