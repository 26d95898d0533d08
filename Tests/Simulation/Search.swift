import CSimulation
import Glibc

/// Looks for a seed whose script fails, and shortens that script.
///
/// Each script runs in a process of its own or in one with others, so that a trap or a hang is a failure like another.
struct Search {
  let first: UInt64
  /// The known fault that is active; 0 for none.
  let known: Int32

  /// The longest time of one script, in seconds, before it counts as a hang.
  static let patience: UInt32 = 120

  init(first: UInt64, known: Int32) {
    self.first = first
    self.known = known
    // The processes of the attempts share them.
    _ = KnownKeys.all
    unsafe knownFault = known
    simulation_set_known_fault(known)
  }

  // MARK: Seeds

  /// Runs one seed. Returns whether all is well.
  func runOne() -> Bool {
    let steps = Simulation(seed: first).steps
    let failure = attempt(steps, first, isLoud: true)
    if failure == 0 {
      print("Seed \(first): \(steps.count) steps, and all is well.")
      return true
    }
    shorten(steps, first, failure)
    return false
  }

  /// Runs `count` seeds, or as many as there is time for. Returns whether all is well.
  func run(for seconds: Double = .infinity, count: UInt64 = .max) -> Bool {
    let start = SimulationProgram.seconds
    let end = start + seconds
    let seeds = first..<(first + min(count, .max - first))
    var seed = first
    while seed < seeds.upperBound, SimulationProgram.seconds < end {
      unsafe simulation_progress().pointee = seed
      let failure = Attempt { runSeeds(seed..<seeds.upperBound, until: end) }.run(
        for: Self.patience)
      seed = unsafe simulation_progress().pointee
      guard failure != 0 else { continue }
      let time = Int((SimulationProgram.seconds - start) * 10)
      print("Seed \(seed) fails after \(time / 10).\(time % 10) s.")
      shorten(Simulation(seed: seed).steps, seed, failure)
      return false
    }
    print("\(seed - first) seeds, and all is well.")
    return true
  }

  private func runSeeds(_ seeds: Range<UInt64>, until end: Double) -> Int32 {
    for seed in seeds {
      guard SimulationProgram.seconds < end else { break }
      alarm(Self.patience)
      let simulation = Simulation(seed: seed)
      if simulation.run(simulation.steps) != nil { return 1 }
      unsafe simulation_progress().pointee = seed + 1
    }
    return 0
  }

  // MARK: The shortest script

  /// Runs a script in a process of its own. Returns 0 if all is well.
  private func attempt(_ steps: [Step], _ seed: UInt64, isLoud: Bool = false) -> Int32 {
    Attempt {
      guard let text = Simulation(seed: seed).run(steps) else { return 0 }
      if isLoud { print(text) }
      fflush(nil)
      return 1
    }.run(for: Self.patience)
  }

  /// Removes steps as long as the script fails in the same way, and prints it as a test.
  private func shorten(_ steps: [Step], _ seed: UInt64, _ failure: Int32) {
    var steps = steps
    var size = steps.count / 2
    let end = SimulationProgram.seconds + 60
    while size > 0, SimulationProgram.seconds < end {
      var start = 0
      var hasShortened = false
      while start < steps.count, SimulationProgram.seconds < end {
        var shorter = steps
        shorter.removeSubrange(start..<min(start + size, steps.count))
        if attempt(shorter, seed) == failure {
          steps = shorter
          hasShortened = true
        } else {
          start += size
        }
      }
      if !hasShortened || size > steps.count { size /= 2 }
    }
    print(
      "The shortest script that fails has \(steps.count) steps of \(Simulation(seed: seed).steps.count):\n"
    )
    print("  @Test(\"Seed \(seed)\")\n  func seed\(seed)() {")
    print("    let steps: [Step] = [")
    for step in steps { print("      \(step.source),") }
    print("    ]\n    expect(Simulation(seed: \(seed)).run(steps), is: nil)\n  }\n")
    let signal = attempt(steps, seed, isLoud: true)
    if signal >= 128 {
      print(signal == 142 ? "The program hangs." : "The program traps: signal \(signal - 128).")
    }
  }
}

/// A piece of work for a process of its own.
@safe
private final class Attempt {
  private let body: () -> Int32

  init(_ body: @escaping () -> Int32) { self.body = body }

  /// The result of the work, or 128 and the number of the signal that ended it.
  func run(for seconds: UInt32) -> Int32 {
    fflush(nil)
    return unsafe simulation_attempt(
      { context in
        guard let context = unsafe context else { return 64 }
        return unsafe Unmanaged<Attempt>.fromOpaque(context).takeUnretainedValue().body()
      }, Unmanaged.passUnretained(self).toOpaque(), seconds)
  }
}

/// The known fault that is active, in sources with known faults: see scripts/simulate --known-faults.
nonisolated(unsafe) var knownFault: Int32 = 0
