import BallSwarm
import LinuxRadio
import Testing

@testable import eightball

@Suite("The options of eightball swarm")
struct SwarmTests {
  @Test("The default is a hundred balls for one central each on the virtual air")
  func usual() throws {
    let swarm = try eightball.RunSwarm.parse([]).swarm
    #expect(swarm.count == 100 && swarm.connections == 1 && swarm.radio == .virtual)
    #expect(swarm.names.name(of: 100) == "Ball 100")
    #expect(swarm.faults == SwarmFaults() && swarm.lines == .words && swarm.style == .text)
  }

  @Test("Every option is in the configuration")
  func all() throws {
    let swarm = try eightball.RunSwarm.parse([
      "--count", "20", "--name", "No. %02d", "--places", "3", "--seed", "8", "--answers", "slugs",
      "--drop", "10", "--vanish", "5", "--drop-every", "30s", "--radio", "unix:/tmp/air", "--json",
    ]).swarm
    #expect(swarm.count == 20 && swarm.connections == 3 && swarm.seed == SwarmSeed(rawValue: 8))
    #expect(swarm.names.name(of: 7) == "No. 07")
    #expect(swarm.faults.drops == 10 && swarm.faults.vanishings == 5)
    #expect(swarm.faults.stormPeriod == 30_000)
    #expect(swarm.radio == .unix(path: "/tmp/air") && swarm.lines == .json && swarm.style == .slug)
  }

  @Test("Each run without --seed has a new seed")
  func seeds() throws {
    let seeds = try (0..<8).map { _ in try eightball.RunSwarm.parse([]).swarm.seed.rawValue }
    // Two of eight random numbers of 64 bits are the same once in 6 × 10¹⁷ times.
    #expect(Set(seeds).count == 8)
  }

  @Test(
    "Impossible swarms are refused, with what is possible",
    arguments: [
      (["--count", "0"], "--count takes 1 to 10000 balls, not 0."),
      (["--count", "10001"], "--count takes 1 to 10000 balls, not 10001."),
      (["--places", "0"], "--places takes 1 to 4 centrals, not 0."),
      (["--name", ""], "A ball must have a name: give --name 1 to 29 bytes."),
      (["--name", "1234567890123456789012345678", "--places", "5"], "centrals, not 5."),
      (["--name", "12345678901234567890123456789%d"], "is 30 bytes long in UTF-8"),
      (["--name", "%x"], "write %d for the number of the ball"),
      (["--drop", "101"], "give 100 or less together"),
      (["--drop", "51", "--vanish", "50"], "give 100 or less together"),
      (["--drop-every", "2h"], "expected a time such as 3s or 250ms, up to 3600s"),
      (["--radio", "hci0"], "hci0 is one controller, and each ball takes one of its own"),
      (["--quiet", "--json"], "--quiet and --json exclude each other: give one of them."),
    ])
  func refused(arguments: [String], words: String) throws {
    let error = #expect(throws: (any Error).self) { try eightball.RunSwarm.parse(arguments) }
    let message = eightball.RunSwarm.message(for: try #require(error))
    #expect(message.contains(words), "\(message)")
  }
}
