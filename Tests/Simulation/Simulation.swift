/// One run: the devices of a seed, and a script.
struct Simulation {
  let setup: Setup

  /// The devices that `seed` decides.
  init(seed: UInt64) { setup = Setup(seed: seed) }

  /// Carries out a script.
  ///
  /// - Returns: What happened that must not; `nil` if all is well.
  func run(_ steps: [Step]) -> String? { World(setup).run(steps) }

  /// The script of the seed.
  var steps: [Step] { Script.steps(setup, count: 240) }
}
