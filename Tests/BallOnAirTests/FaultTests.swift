import BallTestSupport
import BluetoothHost
import Expectations
import VirtualRadio

@testable import struct BluetoothHost.Host

/// The controller that has the fault.
enum Side: String, CaseIterable, Sendable {
  case ball, central
}

/// An ask with a fault at each of its moments in turn: before the first packet of the ball's start,
/// before the second, and so on until after the last of the disconnection.
@Suite("After any fault at any moment, the ball is soon asked and answers again")
struct FaultTests {
  @Test("The ball recovers from a failed controller", arguments: Fault.failures, Side.allCases)
  func failures(_ fault: Fault, _ side: Side) throws {
    try sweep(fault, side, Scene<1>.self)
    try sweep(fault, side, Scene<4>.self, every: 3)
  }

  @Test(
    "The ball recovers from commands that fail, and from lost, doubled, wrong and cut packets",
    arguments: Fault.commands + Fault.packets + Fault.cuts, Side.allCases)
  func others(_ fault: Fault, _ side: Side) throws {
    try sweep(fault, side, Scene<1>.self)
  }

  @Test("The ball recovers with one buffer", arguments: Fault.failures + Fault.packets)
  func oneBuffer(_ fault: Fault) throws {
    let small = ControllerConfiguration(aclDataLength: 27, aclPacketCount: 1)
    try sweep(fault, .ball, Scene<1>.self, controller: small)
  }

  @Test(
    "The ball recovers from a controller that vanishes and comes back", arguments: Side.allCases)
  func vanishing(_ side: Side) throws {
    for moment in 0..<1_000 {
      let (scene, asker, isOver) = try prepare(moment, Scene<1>.self, controller: .init())
      if side == .ball { scene.ballVanishes() } else { scene.dismiss(asker) }
      scene.run(for: 5_000)
      if side == .ball {
        expect(scene.host.radio, is: .fault(.lost))
        scene.ballReturns()
      }
      expectRecovery(scene, from: asker, "\(side.rawValue) gone after \(moment) packets")
      if isOver { break }
    }
  }

  /// Symptom: the ball reported that it advertised, and no central could ever find it.
  @Test("A controller that silently loses everything is noticed through its links, or within 32 s")
  func silentReset() throws {
    for count in 0...2 {
      let scene = try Scene<2>()
      for _ in 0..<2 {
        let phones = try (0..<count).map { _ in try scene.connectedPhone() }
        scene.radio.fail(hardwareCode: nil)
        expect(scene.host.connectionCount, is: count)
        expect(!scene.isInviting)
        if count == 0 {
          scene.run(for: 31_999)
          expect(!scene.isInviting)
          scene.run(for: 1)
        } else {
          scene.run(within: 240_000) { scene.isInviting && scene.host.connectionCount == 0 }
        }
        scene.settle()
        scene.expectHealthy()
        for phone in phones { scene.dismiss(phone) }
        scene.expectRecovery("with \(count) links")
      }
    }
  }

  @Test("A fault of one central does not affect another")
  func bystander() throws {
    let scene = try Scene<4>()
    let bystander = try scene.connectedPhone(mtu: 185)
    scene.subscribe(bystander)
    var count = 0
    for (index, fault) in (Fault.failures + Fault.packets + Fault.cuts).enumerated() {
      let asker = scene.ask("Will it rain?")
      for _ in 0..<(30 + index * 3) {
        if !scene.carryOne() { scene.passTime(atMost: 200) }
      }
      fault.strike(asker.radio)
      for _ in 0..<3 {
        expect(scene.write("Me?", by: bystander), is: .success(.written), "\(fault)")
        count += 1
        expect(bystander.answers.count, is: count, "\(fault)")
        scene.run(for: 1_000)
      }
      scene.run(within: 60_000) { asker.isFinished }
      scene.dismiss(asker)
      scene.run(for: 3_000)
      expect(bystander.isConnected, "\(fault)")
      scene.expectHealthy()
    }
  }

  @Test("A ball whose controller is unplugged and plugged in 100 times keeps working")
  func replugged() throws {
    let scene = try Scene<2>()
    for number in 0..<100 {
      let phone = try scene.connectedPhone()
      scene.subscribe(phone)
      _ = scene.write("Number \(number)?", by: phone)
      expect(phone.answers.count, is: 1)
      scene.ballVanishes()
      scene.run(for: 1_000)
      expect(scene.host.deadline, is: nil)
      scene.ballReturns()
      scene.run(within: 5_000) { scene.isInviting }
      scene.expectHealthy()
      scene.dismiss(phone)
    }
  }

  @Test("The ball can be shut down at any moment of an ask")
  func anyMoment() throws {
    for moment in 0..<400 {
      let scene = try Scene<2>()
      let asker = scene.ask("Will it rain?")
      var isOver = false
      for _ in 0..<moment where !isOver {
        if !scene.carryOne() { isOver = asker.isFinished || !scene.passTime() }
      }
      scene.host.shutDown()
      scene.run(within: 10_000) { scene.isShutDown }
      expect(scene.isShutDown, "after \(moment) packets")
      scene.settle()
      expect(!scene.radio.isAdvertising, "after \(moment) packets")
      expect(scene.radio.connectionHandles, is: [], "after \(moment) packets")
      if isOver { break }
    }
  }

  // MARK: The sweep

  /// - Parameter stride: How many packets lie between two tries of a fault that acts at once. One
  ///   that waits for a packet acts on each that fits.
  private func sweep<let capacity: Int>(
    _ fault: Fault, _ side: Side, _: Scene<capacity>.Type, every stride: Int = 1,
    controller: ControllerConfiguration = .init()
  ) throws {
    // Each fault begins at another moment, so that together they cover all.
    var moment = fault.testDescription.utf8.count % stride
    while moment < 1_000 {
      var (scene, asker, isOver) = try prepare(moment, Scene<capacity>.self, controller: controller)
      let struck = side == .ball ? scene.radio : asker.radio
      fault.strike(struck)
      let armed = struck.faults
      var next = moment + stride
      if !armed.isEmpty {
        // Until the fault finds its packet, each moment would be the same run again.
        next = moment + 1
        while !asker.isFinished, struck.faults == armed {
          if !scene.carryOne() { scene.passTime() }
          if struck.faults == armed { next += 1 }
        }
        isOver = struck.faults == armed
      }
      expectRecovery(
        scene, from: asker,
        "\(fault.testDescription) at the \(side.rawValue)'s after \(next - stride) packets")
      if isOver || scene.isStuck { break }
      moment = next
    }
  }

  /// A ball that starts and an asker that comes at the same time, `moment` packets later; and
  /// whether the asker has already left.
  private func prepare<let capacity: Int>(
    _ moment: Int, _: Scene<capacity>.Type, controller: ControllerConfiguration
  ) throws -> (Scene<capacity>, Asker, isOver: Bool) {
    let scene = try Scene<capacity>(controller: controller, isStarted: false)
    scene.host.start(at: scene.now)
    let asker = scene.ask("Will it rain?")
    for _ in 0..<moment where !scene.carryOne() {
      guard !asker.isFinished else { return (scene, asker, true) }
      scene.passTime()
    }
    return (scene, asker, false)
  }

  /// Waits until the asker has left; the next one is answered.
  private func expectRecovery<let capacity: Int>(
    _ scene: Scene<capacity>, from asker: Asker, _ what: Comment
  ) {
    if scene.air.controllers.contains(where: { $0 === asker.radio }) {
      scene.run(within: 120_000) { asker.isFinished }
      expect(asker.isFinished, what)
      scene.dismiss(asker)
    }
    scene.expectRecovery(what)
  }
}

extension Scene {
  /// Ends all faults of the ball's controller, which then recovers; the next central is answered.
  func expectRecovery(within milliseconds: UInt32 = 240_000, _ what: Comment) {
    radio.faults.removeAll()
    settle()
    run(within: milliseconds) { isInviting && host.connectionCount == 0 }
    expect(isInviting, what)
    let next = ask("Is all well?")
    run(within: 60_000) { next.isFinished }
    expect(next.isAnswered, what)
    settle()
    expect(isInviting, what)
    expect(radio.connectionHandles, is: [], what)
    dismiss(next)
    expect(!isStuck, what)
  }
}

extension Scene {
  /// Checks the invariants between faults, when no packet is waiting.
  func expectHealthy(at location: SourceLocation = #_sourceLocation) {
    let links = radio.connectionHandles.count
    let isOpen = links < capacity
    let counters = radio.counters
    for (what, isRight) in [
      ("a loop ended", !isStuck), ("connections", host.connectionCount == links),
      ("advertising with \(links) of \(capacity)", radio.isAdvertising == isOpen),
      ("the radio's state", host.radio == (isOpen ? .advertising : .silent)),
      ("buffers given back", host.controller.inFlight == 0),
      ("packets within the buffers", counters.packetsBeyondCredits == 0),
      ("short packets", counters.oversizedPackets == 0),
      ("well-formed packets", counters.malformedPackets == 0),
      ("answered commands", counters.unansweredCommands == 0),
      ("no deadline that has passed", host.deadline.map { $0 > now } ?? true),
    ] { expect(isRight, "\(what)", sourceLocation: location) }
  }
}
