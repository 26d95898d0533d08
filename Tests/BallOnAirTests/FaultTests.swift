import BluetoothHost
import Testing
import VirtualRadio

/// Whose controller it is that has the fault.
enum Side: String, CaseIterable, Sendable {
  case ball, central
}

/// An ask with a fault in the middle of it, at each of its moments in turn: before the first
/// packet of the ball's start, before the second, and so on until after the last of the goodbye.
@Suite("Whatever goes wrong, and whenever, the ball is soon asked and answers again")
struct FaultTests {
  @Test("The controller fails", arguments: Fault.failures, Side.allCases)
  func failures(_ fault: Fault, _ side: Side) throws {
    try sweep(fault, side, Stage<1>.self)
    try sweep(fault, side, Stage<4>.self, every: 3)
  }

  @Test("Commands are refused or not answered", arguments: Fault.commands, Side.allCases)
  func commands(_ fault: Fault, _ side: Side) throws {
    try sweep(fault, side, Stage<1>.self)
  }

  @Test("Packets are lost, doubled, or lie", arguments: Fault.packets, Side.allCases)
  func packets(_ fault: Fault, _ side: Side) throws {
    try sweep(fault, side, Stage<1>.self)
  }

  @Test("Packets are cut at each byte", arguments: Fault.cuts, Side.allCases)
  func cuts(_ fault: Fault, _ side: Side) throws {
    try sweep(fault, side, Stage<1>.self)
  }

  @Test("One buffer only", arguments: Fault.failures + Fault.packets)
  func oneBuffer(_ fault: Fault) throws {
    let small = ControllerConfiguration(aclDataLength: 27, aclPacketCount: 1)
    try sweep(fault, .ball, Stage<1>.self, controller: small)
  }

  @Test("The controller vanishes, and comes back", arguments: Side.allCases)
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

  /// - Parameter stride: How many packets lie between two strikes of a fault that strikes at once.
  ///   One that waits for a packet strikes each that it fits.
  private func sweep<let places: Int>(
    _ fault: Fault, _ side: Side, _: Stage<places>.Type, every stride: Int = 1,
    controller: ControllerConfiguration = .init()
  ) throws {
    // Where it begins is each fault's own, so that together they meet every moment.
    var moment = fault.testDescription.utf8.count % stride
    while moment < 1_000 {
      var (stage, asker, isOver) = try prepare(moment, Stage<places>.self, controller: controller)
      let struck = side == .ball ? stage.radio : asker.radio
      fault.strike(struck)
      let armed = struck.faults
      var next = moment + stride
      if !armed.isEmpty {
        // Each moment until it finds its packet would be the same run again.
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

  /// A ball that is being started and an asker who comes at the same time, `moment` packets
  /// later; and whether the asker has left by then.
  private func prepare<let places: Int>(
    _ moment: Int, _: Stage<places>.Type, controller: ControllerConfiguration
  ) throws -> (Stage<places>, Asker, isOver: Bool) {
    let stage = try Stage<places>(controller: controller, isStarted: false)
    stage.host.start(at: stage.now)
    let asker = stage.ask("Will it rain?")
    for _ in 0..<moment where !stage.carryOne() {
      guard !asker.isFinished else { return (stage, asker, true) }
      stage.waitShortly()
    }
    return (stage, asker, false)
  }

  /// The asker comes to some end, and leaves; the next one is answered.
  private func expectRecovery<let places: Int>(
    _ stage: Stage<places>, from asker: Asker, _ what: Comment
  ) {
    if stage.guests.contains(where: { $0 === asker }) {
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
  /// Lets the time pass until something happens by itself.
  fileprivate func waitShortly() {
    _ = passTime(until: now.advanced(by: 10_000))
  }
}
