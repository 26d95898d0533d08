// Runs one operation of the whole host again and again, for scripts/benchmark to count.
//
//     host-benchmark ask|shake|write|discovery|turn|memory HOST COUNT
//
// HOST is `service` or `full`, a ball with its own service alone or with its full database, one central
// and four connections; `1-link` or `64-links`, a ball with that many connected centrals, where the last
// one asks; or `central`, which asks a ball. Prints the nanoseconds of one operation, by the monotonic
// clock; for memory, the bytes that one connection takes, and a host with four connections; for that of `central` also
// those of a key agreement.

import BluetoothHost
import EightBall
import Glibc

func fail(_ message: String) -> Never {
  let line = "host-benchmark: \(message)\n"
  _ = unsafe line.withCString { unsafe Glibc.write(STDERR_FILENO, $0, strlen($0)) }
  exit(64)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let count = Int(arguments[3]), count > 0 else {
  fail(
    "expected an operation (ask, shake, write, discovery, turn, memory), a host (service, full, 1-link, "
      + "64-links, central) and a count")
}
let operation = arguments[1]

switch arguments[2] {
case "service":
  var bench = Bench(
    Host(
      configuration: benchConfiguration, database: EightBallProfile.makeServiceDatabase(),
      application: BallApplication<4>(seed: 1)))
  run(&bench, links: 1)
case "full":
  var bench = Bench(
    BallHost<4>(
      configuration: benchConfiguration, database: EightBallProfile.makeDatabase(),
      application: BallApplication(seed: 1)))
  run(&bench, links: 1)
case "1-link":
  var bench = Bench(
    BallHost<1>(
      configuration: benchConfiguration, database: EightBallProfile.makeDatabase(),
      application: BallApplication(seed: 1)))
  run(&bench, links: 1)
case "64-links":
  var bench = Bench(
    BallHost<64>(
      configuration: benchConfiguration, database: EightBallProfile.makeDatabase(),
      application: BallApplication(seed: 1)))
  run(&bench, links: 64)
case "central":
  runCentral()
case let other:
  fail("there is no host “\(other)”; expected service, full, 1-link, 64-links or central")
}

/// Prints the bytes of a connection and of a host with four.
func printMemory<let capacity: Int, let attributeCount: Int>(
  _ bench: borrowing Bench<capacity, attributeCount>
) {
  let two = MemoryLayout<Peripheral<2, GATTDatabase<attributeCount>, BallApplication<2>>>.stride
  let four = MemoryLayout<Peripheral<4, GATTDatabase<attributeCount>, BallApplication<4>>>.stride
  print((four - two) / 2, four)
}

func run<let capacity: Int, let attributeCount: Int>(
  _ bench: inout Bench<capacity, attributeCount>, links: Int
) {
  guard operation != "memory" else { return printMemory(bench) }
  bench.connect(links)
  // A shake sends a new answer, so a question comes before the first.
  if operation == "shake" { bench.ask() }
  let start = nanoseconds()
  switch operation {
  case "ask": for _ in 0..<count { bench.ask() }
  case "shake": for _ in 0..<count { bench.shake() }
  case "write": for _ in 0..<count { bench.write() }
  case "discovery": for _ in 0..<count { bench.discover() }
  case "turn": for _ in 0..<count { bench.turn() }
  case let other:
    fail(
      "there is no operation “\(other)”; expected ask, shake, write, discovery, turn or memory")
  }
  print((nanoseconds() - start) / UInt64(count))
  switch operation {
  case "ask": bench.check(answers: count)
  case "shake": bench.check(answers: count + 1)
  default: bench.check(answers: 0)
  }
}

/// A central asks repeatedly, or prints the bytes of its connections, and of a key agreement.
func runCentral() {
  switch operation {
  case "ask":
    var bench = CentralBench()
    bench.connect()
    let start = nanoseconds()
    for _ in 0..<count { bench.ask() }
    print((nanoseconds() - start) / UInt64(count))
    bench.check(answers: count)
  case "memory":
    let two = MemoryLayout<Central<2, BenchAsker>>.stride
    let four = MemoryLayout<Central<4, BenchAsker>>.stride
    print((four - two) / 2, four, MemoryLayout<P256KeyAgreement>.stride)
  case let other:
    fail("a central has no operation “\(other)”; expected ask or memory")
  }
}

func nanoseconds() -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
