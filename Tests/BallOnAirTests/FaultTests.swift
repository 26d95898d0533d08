import BluetoothHost
import Testing
import VirtualRadio

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
    try sweep(fault, side, Stage<1>.self)
    try sweep(fault, side, Stage<4>.self, every: 3)
  }

  @Test(
    "The ball recovers from refused and unanswered commands", arguments: Fault.commands,
    Side.allCases)
  func commands(_ fault: Fault, _ side: Side) throws {
    try sweep(fault, side, Stage<1>.self)
  }

  @Test(
    "The ball recovers from lost, doubled and wrong packets", arguments: Fault.packets,
    Side.allCases)
  func packets(_ fault: Fault, _ side: Side) throws {
    try sweep(fault, side, Stage<1>.self)
  }

  @Test(
    "The ball recovers from packets that are cut at each byte", arguments: Fault.cuts, Side.allCases
  )
  func cuts(_ fault: Fault, _ side: Side) throws {
    try sweep(fault, side, Stage<1>.self)
  }

  @Test("The ball recovers with one buffer", arguments: Fault.failures + Fault.packets)
  func oneBuffer(_ fault: Fault) throws {
    let small = ControllerConfiguration(aclDataLength: 27, aclPacketCount: 1)
    try sweep(fault, .ball, Stage<1>.self, controller: small)
  }

  @Test(
    "The ball recovers from a controller that vanishes and comes back", arguments: Side.allCases)
  func vanishing(_ side: Side) throws {
    for moment in 0..<1_000 {
      let (stage, asker, isOver) = try prepare(moment, Stage<1>.self, controller: .init())
      if side == .ball { stage.ballVanishes() } else { stage.dismiss(asker) }
      stage.run(for: 5_000)
      if side == .ball {
        #expect(stage.host.radio == .fault(.lost))
        stage.ballReturns()
      }
      expectRecovery(stage, from: asker, "\(side.rawValue) gone after \(moment) packets")
      if isOver { break }
    }
  }

  // MARK: The sweep

  /// - Parameter stride: How many packets lie between two tries of a fault that acts at once. One
  ///   that waits for a packet acts on each that fits.
  private func sweep<let capacity: Int>(
    _ fault: Fault, _ side: Side, _: Stage<capacity>.Type, every stride: Int = 1,
    controller: ControllerConfiguration = .init()
  ) throws {
    // Each fault begins at another moment, so that together they cover all.
    var moment = fault.testDescription.utf8.count % stride
    while moment < 1_000 {
      var (stage, asker, isOver) = try prepare(
        moment, Stage<capacity>.self, controller: controller)
      let struck = side == .ball ? stage.radio : asker.radio
      fault.strike(struck)
      let armed = struck.faults
      var next = moment + stride
      if !armed.isEmpty {
        // Until the fault finds its packet, each moment would be the same run again.
        next = moment + 1
        while !asker.isFinished, struck.faults == armed {
          if !stage.carryOne() { stage.waitShortly() }
          if struck.faults == armed { next += 1 }
        }
        isOver = struck.faults == armed
      }
      expectRecovery(
        stage, from: asker,
        "\(fault.testDescription) at the \(side.rawValue)'s after \(next - stride) packets")
      if isOver || stage.isStuck { break }
      moment = next
    }
  }

  /// A ball that starts and an asker that comes at the same time, `moment` packets later; and
  /// whether the asker has already left.
  private func prepare<let capacity: Int>(
    _ moment: Int, _: Stage<capacity>.Type, controller: ControllerConfiguration
  ) throws -> (Stage<capacity>, Asker, isOver: Bool) {
    let stage = try Stage<capacity>(controller: controller, isStarted: false)
    stage.host.start(at: stage.now)
    let asker = stage.ask("Will it rain?")
    for _ in 0..<moment where !stage.carryOne() {
      guard !asker.isFinished else { return (stage, asker, true) }
      stage.waitShortly()
    }
    return (stage, asker, false)
  }

  /// Waits until the asker has left; the next one is answered.
  private func expectRecovery<let capacity: Int>(
    _ stage: Stage<capacity>, from asker: Asker, _ what: Comment
  ) {
    if stage.air.controllers.contains(where: { $0 === asker.radio }) {
      stage.run(within: 120_000) { asker.isFinished }
      #expect(asker.isFinished, what)
      stage.dismiss(asker)
    }
    stage.radio.faults.removeAll()
    stage.settle()
    stage.run(within: 240_000) { stage.isInviting && stage.host.connectionCount == 0 }
    #expect(stage.isInviting, what)

    let next = stage.ask("Is all well?")
    stage.run(within: 60_000) { next.isFinished }
    #expect(next.isAnswered, what)
    stage.settle()
    #expect(stage.isInviting, what)
    #expect(stage.radio.connectionHandles == [], what)
    stage.dismiss(next)
    #expect(!stage.isStuck, what)
  }
}

extension Stage {
  /// Lets time pass until the next deadline.
  fileprivate func waitShortly() {
    _ = passTime(until: now.advanced(by: 10_000))
  }
}
