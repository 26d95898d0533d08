import Glibc

/// Measures the simulation itself, in processor time.
enum Speed {
  /// Prints how many asks a second one ball and one central make, and how long a day of many devices takes.
  static func measure() {
    var start = SimulationProgram.seconds(CLOCK_PROCESS_CPUTIME_ID)
    let world = World(Setup(seed: 1, protections: [.none], centralCount: 1))
    var steps: [Step] = [
      .wait(100), .connect(0, to: 0), .wait(1_000), .subscribe(0, true), .wait(1_000),
    ]
    for _ in 0..<2_000 { steps += [.ask(0, times: 150), .wait(10)] }
    if let violation = world.run(steps) { print(violation) }
    let rate =
      Double(world.answerCount) / (SimulationProgram.seconds(CLOCK_PROCESS_CPUTIME_ID) - start)
    print("\(world.answerCount) asks, \(Int(rate)) a second")

    start = SimulationProgram.seconds(CLOCK_PROCESS_CPUTIME_ID)
    let day = World(Setup(seed: 3))
    let script = Script.steps(Setup(seed: 3), count: 1_000).filter { $0 != .recover }
    var index = 0
    while day.bench.now.rawValue < 86_400_000, day.violation == nil {
      _ = day.run([script[index % script.count]])
      index += 1
    }
    if let violation = day.violation { print(violation) }
    let time = Int((SimulationProgram.seconds(CLOCK_PROCESS_CPUTIME_ID) - start) * 10)
    print("a day with \(index) steps and \(day.answerCount) answers: \(time / 10).\(time % 10) s")
  }
}
