// What an ask costs on a microcontroller, for scripts/benchmark firmware: takes the place of
// Sources/CortexM/Start.swift, and prints the ticks of each measurement and of a loop of known length.

import BallRunner
import BluetoothHost
import CFirmwareBenchmark
import EightBall

let asks = 1_000

// Not a stored global, whose first use would take a lock.
var benchConfiguration: BallConfiguration {
  BallConfiguration(
    host: HostConfiguration(
      name: DeviceName(StaticText("Magic 8-Ball")), service: .ballService, address: .public),
    seed: 1)
}

@c func reset() {
  _ = prepareMemory()
  LM3S6965.start()
  _ = Clock()
  LM3S6965.uart0.start(clock: LM3S6965.clock, baud: 115_200)

  checkMemoryFunctions()

  let loops: UInt32 = 500_000
  let start = Clock.ticks
  benchmark_loop(loops)
  report("loop", Clock.ticks &- start, 2 * loops)

  measureHost()
  measureRunner("runner", .words)
  measureRunner("quiet", .none)
  resetSystem()
}

@inline(never)
private func measureHost() {
  var bench = HostBench()
  _ = bench.ticks(asks: 10)
  report("host", bench.ticks(asks: asks), UInt32(asks))
}

@inline(never)
private func measureRunner(_ name: StaticString, _ lines: LineFormat) {
  var configuration = benchConfiguration
  configuration.lines = lines
  var runner = BallRunner<1, 526, 384, 0, ScriptedPort>(configuration, on: ScriptedPort(asks: asks))
  guard runner.run() == .noWait else { fail("The ball has ended.") }
  // The response and the notification may be one write.
  guard runner.port.packets >= asks else { fail("The ball did not answer.") }
  guard runner.port.lines >= (lines == .words ? asks : 0) else { fail("The ball said too little.") }
  report(name, runner.port.ticks, UInt32(asks))
}

/// Prints a line: what was measured, its ticks, and how often it was done.
private func report(_ name: StaticString, _ ticks: UInt32, _ count: UInt32) {
  var line = ByteBuffer<64>()
  line.write {
    $0.write(text: name)
    $0.write(text: " ")
    $0.write(decimal: Int(bitPattern: UInt(ticks)))
    $0.write(text: " ")
    $0.write(decimal: Int(bitPattern: UInt(count)))
  }
  print(line.span)
}

/// Ends with a message in place of what was measured.
func fail(_ message: StaticString) -> Never {
  var line = ByteBuffer<64>()
  line.write { $0.write(text: message) }
  print(line.span)
  resetSystem()
}

private func print(_ line: Span<UInt8>) {
  for index in line.indices { LM3S6965.uart0.sendWaiting(line[index]) }
  LM3S6965.uart0.sendWaiting(UInt8(ascii: "\n"))
}
