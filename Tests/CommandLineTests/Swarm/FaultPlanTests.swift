import EightBall
import Expectations

@testable import eightball

@Suite("The fates of a swarm's connections")
struct FaultPlanTests {
  private func fates(drops: UInt32, vanishings: UInt32, seed: UInt64, count: Int)
    -> [ConnectionFate]
  {
    var faults = SwarmFaults()
    faults.drops = drops
    faults.vanishings = vanishings
    var plan = FaultPlan(faults, seed: seed)
    return (0..<count).map { _ in
      plan.connectionBegins()
      defer { plan.connectionsEnded() }
      return plan.fate
    }
  }

  @Test("Without faults every connection lasts")
  func none() {
    expect(fates(drops: 0, vanishings: 0, seed: 8, count: 500).allSatisfy { $0 == .lasts })
  }

  @Test("The same seed gives the same fates, another seed others")
  func seeds() {
    let one = fates(drops: 30, vanishings: 30, seed: 8, count: 100)
    expect(one, is: fates(drops: 30, vanishings: 30, seed: 8, count: 100))
    expect(one != fates(drops: 30, vanishings: 30, seed: 9, count: 100))
  }

  @Test("The given percentages are dropped and vanish, within the first 20 packets")
  func shares() {
    var dropped = 0
    var vanished = 0
    for fate in fates(drops: 20, vanishings: 10, seed: 8, count: 10_000) {
      switch fate {
      case .lasts: break
      case .drops(let packets):
        dropped += 1
        expect((1...20).contains(packets))
      case .vanishes(let packets, let milliseconds):
        vanished += 1
        expect((1...20).contains(packets) && (1_000...5_000).contains(milliseconds))
      }
    }
    // 2,000 and 1,000 expected; the standard deviations are 40 and 30, and 5 of them are allowed.
    expect((1_800...2_200).contains(dropped) && (850...1_150).contains(vanished))
  }

  @Test("With 100 percent each connection is dropped")
  func all() {
    for fate in fates(drops: 100, vanishings: 0, seed: 8, count: 200) {
      guard case .drops = fate else {
        Issue.record("\(fate)")
        continue
      }
    }
  }

  @Test("The fate comes once, with its packet")
  func packets() {
    var faults = SwarmFaults()
    faults.drops = 100
    var plan = FaultPlan(faults, seed: 8)
    plan.connectionBegins()
    guard case .drops(let packets) = plan.fate else { return expect(Bool(false)) }
    for _ in 1..<packets { expect(plan.packetCame(), is: nil) }
    expect(plan.packetCame(), is: .drops(packets: 0))
    for _ in 0..<50 { expect(plan.packetCame(), is: nil) }
  }

  @Test("A connection that ended earlier does not affect the next")
  func ended() {
    var faults = SwarmFaults()
    faults.drops = 100
    var plan = FaultPlan(faults, seed: 8)
    plan.connectionBegins()
    plan.connectionsEnded()
    for _ in 0..<50 { expect(plan.packetCame(), is: nil) }
  }
}
