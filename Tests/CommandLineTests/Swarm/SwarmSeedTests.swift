import BluetoothHost
import Expectations
import LinuxRadio
import LinuxTestSupport

@testable import eightball

@Suite("The seed of a swarm")
struct SwarmSeedTests {
  @Test("The same seed gives a ball the same address and answers")
  func same() {
    let (one, other) = (SwarmSeed(rawValue: 8), SwarmSeed(rawValue: 8))
    for ball in [1, 2, 1_000, 10_000] {
      expect(one.address(of: ball), is: other.address(of: ball))
      expect(one.answers(of: ball), is: other.answers(of: ball))
    }
  }

  @Test("The address of a ball stays the same from version to version")
  func known() {
    expect(SwarmSeed(rawValue: 8).address(of: 1).text, is: "FC:66:D8:AC:D7:DA")
    expect(SwarmSeed(rawValue: 8).address(of: 1_000).text, is: "D0:C6:68:4B:D4:33")
  }

  @Test(
    "10,000 balls have 10,000 static random addresses and 10,000 seeds",
    arguments: [0, 1, 8, UInt64.max])
  func different(seed: UInt64) {
    let seed = SwarmSeed(rawValue: seed)
    var addresses = Set<String>()
    var seeds = Set<UInt64>()
    for ball in 1...10_000 {
      let address = seed.address(of: ball)
      expect(address.kind == .random && address.bytes[5] >> 6 == 0b11)
      addresses.insert(address.text)
      seeds.insert(seed.answers(of: ball))
    }
    expect(addresses.count, is: 10_000)
    expect(seeds.count, is: 10_000)
  }

  @Test("Another seed gives other addresses")
  func others() {
    let one = SwarmSeed(rawValue: 8)
    let other = SwarmSeed(rawValue: 9)
    expect((1...1_000).filter { one.address(of: $0) == other.address(of: $0) }, is: [])
  }

  @Test("A seed is used once on an air; the next swarm says so, and may use it later")
  func onceOnAnAir() throws {
    func swarm(_ seed: UInt64, at path: String) throws -> Swarm {
      var configuration = SwarmConfiguration(
        count: 1, names: .usual, seed: SwarmSeed(rawValue: seed))
      configuration.radio = .virtual
      return try Swarm(configuration, loop: EventLoop(), airPath: path)
    }
    let folder = try TemporaryDirectory()
    let air = "\(folder.path)/air"
    do {
      let first = try swarm(8, at: air)
      #expect(throws: SwarmError.seedInUse(SwarmSeed(rawValue: 8))) { try swarm(8, at: air) }
      _ = try swarm(9, at: air)
      _ = try swarm(8, at: "\(folder.path)/other")
      withExtendedLifetime(first) {}
    }
    _ = try swarm(8, at: air)
    expect("\(SwarmError.seedInUse(SwarmSeed(rawValue: 8)))".contains("--seed"))
  }
}
