// One pair asks on a virtual air beside many advertisers, for scripts/benchmark air to count.
//
//     air-benchmark air|extended|sockets ADVERTISERS ASKS
//
// Prints the nanoseconds of one ask by the monotonic clock. `air` is the air's object alone; `extended`
// the same with extended advertisers;
// `sockets` a whole server, each radio a client of a UNIX socket, in one process.

import BluetoothHost
import Glibc
import LinuxRadio
import VirtualRadio

func fail(_ message: String) -> Never {
  let line = "air-benchmark: \(message)\n"
  _ = unsafe line.withCString { unsafe Glibc.write(STDERR_FILENO, $0, strlen($0)) }
  exit(64)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let advertisers = Int(arguments[2]), advertisers >= 0,
  let asks = Int(arguments[3]), asks > 0
else { fail("expected air, extended or sockets, a count of advertisers and a count of asks") }

switch arguments[1] {
case "air", "extended":
  var crowd = Crowd(advertisers, areExtended: arguments[1] == "extended")
  let start = nanoseconds()
  for _ in 0..<asks { crowd.ask() }
  print((nanoseconds() - start) / UInt64(asks))
  guard crowd.arrived == 3 * asks else {
    fail("expected \(3 * asks) packets, got \(crowd.arrived)")
  }
case "sockets":
  do {
    let crowd = try SocketCrowd(advertisers)
    for _ in 0..<100 { try crowd.ask() }
    let start = nanoseconds()
    for _ in 0..<asks { try crowd.ask() }
    print((nanoseconds() - start) / UInt64(asks))
  } catch {
    fail("\(error)")
  }
case let other:
  fail("there is nothing to measure by the name \(other); expected air, extended or sockets")
}

func nanoseconds() -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
