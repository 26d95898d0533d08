import CSimulation
import Glibc

// Simulates balls and centrals, for scripts/simulate:
//
//     simulation SECONDS [FIRST-SEED] [KNOWN-FAULT]   seeds from the first one on, until the time is over
//     simulation --seeds COUNT FIRST-SEED             so many seeds
//     simulation --seed SEED                          one seed
//     simulation --speed                              how many asks a second, and how long a day takes
@main
enum SimulationProgram {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    switch arguments.first {
    case "--seed":
      guard let seed = arguments.dropFirst().first.flatMap(UInt64.init) else { refuse() }
      exit(Search(first: seed, known: 0).runOne() ? 0 : 1)
    case "--seeds":
      let numbers = arguments.dropFirst().compactMap(UInt64.init)
      guard numbers.count == 2, arguments.count == 3 else { refuse() }
      exit(Search(first: numbers[1], known: 0).run(count: numbers[0]) ? 0 : 1)
    case "--speed": exit(Speed.measure() ? 0 : 1)
    case let seconds?:
      guard let seconds = Double(seconds) else { refuse() }
      let numbers = arguments.dropFirst().compactMap(UInt64.init)
      guard numbers.count == arguments.count - 1 else { refuse() }
      let search = Search(first: numbers.first ?? 1, known: Int32(numbers.dropFirst().first ?? 0))
      exit(search.run(for: seconds) ? 0 : 1)
    case nil: refuse()
    }
  }

  private static func refuse() -> Never {
    print(
      "usage: simulation SECONDS [FIRST-SEED [KNOWN-FAULT]] | --seeds COUNT FIRST-SEED | --seed SEED "
        + "| --speed")
    exit(64)
  }

  /// The seconds since some moment.
  static var seconds: Double { seconds(CLOCK_MONOTONIC) }

  /// The seconds by a clock.
  static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }
}
