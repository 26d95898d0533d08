// Runs one operation of the whole host again and again, for scripts/benchmark to count.
//
//     host-benchmark ask|shake|write|discovery|memory service|full COUNT
//
// Prints the nanoseconds of one operation, by the monotonic clock; for memory, the bytes that one
// connection takes, and a host with four places.

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
    "expected an operation (ask, shake, write, discovery, memory), a database (service, full) and a "
      + "count"
  )
}

switch arguments[2] {
case "service":
  var bench = Bench(
    Host(
      configuration: benchConfiguration, database: BallProfile.makeServiceDatabase(),
      application: Ball(seed: 1)))
  run(&bench)
case "full":
  var bench = Bench(
    BallHost<4>(
      configuration: benchConfiguration, database: BallProfile.makeDatabase(),
      application: Ball(seed: 1)))
  run(&bench)
case let other:
  fail("there is no database “\(other)”; expected service or full")
}

func printMemory<let attributeCount: Int>(_ bench: borrowing Bench<attributeCount>) {
  let two = MemoryLayout<Peripheral<2, GATTDatabase<attributeCount>, Ball<2>>>.stride
  let four = MemoryLayout<Peripheral<4, GATTDatabase<attributeCount>, Ball<4>>>.stride
  print((four - two) / 2, four)
}

func run<let attributeCount: Int>(_ bench: inout Bench<attributeCount>) {
  guard arguments[1] != "memory" else { return printMemory(bench) }
  bench.connect()
  // Somebody has to have asked before a shake answers anew.
  if arguments[1] == "shake" { bench.ask() }
  let start = nanoseconds()
  switch arguments[1] {
  case "ask": for _ in 0..<count { bench.ask() }
  case "shake": for _ in 0..<count { bench.shake() }
  case "write": for _ in 0..<count { bench.write() }
  case "discovery": for _ in 0..<count { bench.discover() }
  case let other:
    fail("there is no operation “\(other)”; expected ask, shake, write, discovery or memory")
  }
  print((nanoseconds() - start) / UInt64(count))
  switch arguments[1] {
  case "ask": bench.check(answers: count)
  case "shake": bench.check(answers: count + 1)
  default: bench.check(answers: 0)
  }
}

func nanoseconds() -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
