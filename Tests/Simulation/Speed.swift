import Glibc

/// Measures the simulation itself, in processor time.
enum Speed {
  /// Prints how many asks a second one ball and one central make, and how long a day of many devices takes. Returns
  /// whether that is fast enough: 100,000 a second, and 10 s.
  static func measure() -> Bool {
    var start = SimulationProgram.seconds(CLOCK_PROCESS_CPUTIME_ID)
    let world = World(Setup(seed: 1, protections: [.none], centralCount: 1))
    var failure = world.run([
      .wait(100), .connect(0, to: 0), .wait(1_000), .subscribe(0, true), .wait(1_000),
    ])
    for _ in 0..<2_000 where failure == nil {
      failure = world.run([.ask(0, times: 150), .wait(10)])
    }
    let rate =
      Double(world.answerCount) / (SimulationProgram.seconds(CLOCK_PROCESS_CPUTIME_ID) - start)
    print("\(world.answerCount) asks, \(Int(rate)) a second")

    start = SimulationProgram.seconds(CLOCK_PROCESS_CPUTIME_ID)
    let setup = Setup(seed: 3, protections: [.none, .encrypted], centralCount: 4)
    let day = World(setup)
    let script = Script.steps(setup, count: 1_000)
    var count = 0
    while day.bench.now.rawValue < 86_400_000, failure == nil {
      failure = day.run([script[count % script.count]])
      count += 1
    }
    let time = SimulationProgram.seconds(CLOCK_PROCESS_CPUTIME_ID) - start
    print("a day with \(count) steps and \(day.answerCount) answers: \(Int(time * 1_000)) ms")
    if let failure { print(failure) }
    return failure == nil && rate >= 100_000 && time <= 10
  }
}
