import BluetoothHost
import Expectations
import LinuxRadio
import VirtualRadio

@testable import eightball

/// What options mean. RefusalTests has what commands refuse.
@Suite("The options of the commands")
struct OptionsTests {
  @Test("run, ask and scan take an address")
  func address() throws {
    let address = AddressChoice.fixed(DeviceAddress(kind: .random, bytes: [7, 0, 0, 0, 0, 0xC0]))
    let arguments = ["--address", "C0:00:00:00:00:07"]
    expect(try Run.parse(arguments).addressOptions.choice, is: address)
    expect(try Ask.parse(["--random"] + arguments).addressOptions.choice, is: address)
    expect(try ListDevices.parse(arguments).addressOptions.choice, is: address)
  }

  @Test("An error of the capture file says what failed, where, and what to do")
  func capture() throws {
    let options = try ListDevices.parse(["--capture", "/no/such/folder/ball.btsnoop"]).radioOptions
    let error = #expect(throws: SystemError.self) { try options.sinks(at: AirTime()) }
    expect(
      error?.description,
      is: "cannot write the capture file /no/such/folder/ball.btsnoop: No such file or directory. "
        + "Give --capture a file in a folder that exists and that you may write to")
  }

  @Test("An air listens at a UNIX socket, a TCP port, or the default socket, for up to 64 radios")
  func air() throws {
    expect(try HostAir.parse([]).listen, is: nil)
    expect(try HostAir.parse(["--listen", "unix:/tmp/air"]).listen, is: .unix(path: "/tmp/air"))
    expect(
      try HostAir.parse(["--listen", "tcp-server:127.0.0.1:7300"]).listen,
      is: .tcpServer(host: "127.0.0.1", port: 7_300))
    expect(try HostAir.parse([]).limit, is: 64)
    expect(try HostAir.parse(["--limit", "1000"]).limit, is: 1_000)
    expect(try HostAir.parse([]).adapters, is: 0)
    expect(try HostAir.parse(["--vhci", "2"]).adapters, is: 2)
    expect(try HostAir.parse([]).linkLayer, is: nil)
    expect(try HostAir.parse(["--link-layer"]).linkLayer, is: LinkLayerModel())
    expect(
      try HostAir.parse(["--loss", "5", "--area", "50"]).linkLayer,
      is: LinkLayerModel(packetLoss: 0.05, area: 50))
    expect(
      try HostAir.parse(["--collisions"]).linkLayer, is: LinkLayerModel(hasCollisions: true))
  }

  @Test(
    "Each command takes seconds or milliseconds, with or without the unit",
    arguments: [
      ("2", 2_000), ("2s", 2_000), ("0.5", 500), ("0.5s", 500), ("250ms", 250), ("1ms", 1),
      ("0.0014", 1), ("60s", 60_000), ("60000ms", 60_000),
    ])
  func times(text: String, milliseconds: UInt32) throws {
    expect(try Ask.parse(["Is it?", "--timeout", text]).timeout?.milliseconds, is: milliseconds)
    expect(try ListDevices.parse(["--timeout", text]).timeout.milliseconds, is: milliseconds)
    expect(try Press.parse(["shake", "--hold", text]).hold.milliseconds, is: milliseconds)
    // A command waits an hour at most.
    expect(try Ask.parse(["Is it?", "--timeout", "3600s"]).timeout?.milliseconds, is: 3_600_000)
  }

  @Test("The value of --control may be left out")
  func optionalValue() throws {
    expect(try Run.parse(["--control", "--json"]).control, is: nil)
    expect(try Run.parse(["--control", "/x"]).control, is: "/x")
    expect(try Run.parse(["--control=/x", "--seed=8", "--seed", "9"]).seed, is: 9)
  }

  // MARK: Security

  @Test("--security names what a link must be; the default is an open ball")
  func security() throws {
    expect(try Run.parse([]).security.protection, is: nil)
    expect(try Run.parse(["--security", "none"]).security.protection, is: nil)
    let run = try Run.parse(["--security", "encrypted"])
    expect(run.security.protection == .encrypted && !run.keepsPairingOpen && !run.isPrivate)
    expect(try Run.parse(["--security", "encrypted", "--pairing-window"]).keepsPairingOpen)
    expect(try Run.parse(["--private", "--security", "encrypted"]).isPrivate)
  }

  @Test("--remove takes an address, or all")
  func removal() throws {
    expect(try Bonds.parse(["--remove", "c0:00:00:00:00:01"]).remove, is: "c0:00:00:00:00:01")
    expect(try Bonds.parse(["--remove", "all"]).remove, is: "all")
    for wrong in ["", "x", "C0:00:00:00:00", "C0:00:00:00:00:0", "C0:00:00:00:00:01:02", "All"] {
      #expect(throws: UsageError.self, "\(wrong)") { try Bonds.parse(["--remove", wrong]) }
    }
    #expect(throws: UsageError.self) { try Bonds.parse(["--of-ask", "--file", "/tmp/x"]) }
    #expect(throws: UsageError.self) { try Bonds.parse(["--file", ""]) }
  }

  @Test("A key answers only while a question is pending")
  func keys() {
    let user = PairingUser()
    user.press("y")
    expect(user.takeAnswer(), is: nil)
    user.question = .compareNumber(1)
    user.press("x")
    expect(user.takeAnswer(), is: nil)
    user.press("y")
    expect(user.takeAnswer(), is: true)
    expect(user.takeAnswer(), is: nil)
    user.press("N")
    expect(user.takeAnswer(), is: false)
  }

  // MARK: Swarms

  @Test("The default is a hundred balls for one central each on the virtual air")
  func usualSwarm() throws {
    let swarm = try eightball.RunSwarm.parse([]).swarm
    expect(swarm.count == 100 && swarm.connections == 1 && swarm.radio == .virtual)
    expect(swarm.names.name(of: 100), is: "Ball 100")
    expect(swarm.faults == ConnectionFaults() && swarm.lines == .words && swarm.style == .text)
  }

  @Test("Every option of a swarm is in its configuration")
  func swarm() throws {
    let swarm = try eightball.RunSwarm.parse([
      "--count", "20", "--name", "No. %02d", "--connections", "3", "--seed", "8", "--answers",
      "slugs",
      "--drop-every", "30s", "--radio", "unix:/tmp/air", "--json",
    ]).swarm
    expect(swarm.count == 20 && swarm.connections == 3 && swarm.seed == SwarmSeed(rawValue: 8))
    expect(swarm.names.name(of: 7), is: "No. 07")
    expect(swarm.stormPeriod, is: 30_000)
    expect(swarm.radio == .unix(path: "/tmp/air") && swarm.lines == .json && swarm.style == .slug)
  }

  @Test("A swarm and an air have the same options for the faults of connections")
  func faults() throws {
    let faults = ConnectionFaults(drops: 10, vanishings: 5)
    let options = ["--drop", "10", "--vanish", "5"]
    expect(try eightball.RunSwarm.parse(options).swarm.faults, is: faults)
    expect(try HostAir.parse(options).faults, is: faults)
  }

  @Test("Each swarm without --seed has a new seed")
  func seeds() throws {
    let seeds = try (0..<8).map { _ in try eightball.RunSwarm.parse([]).swarm.seed.rawValue }
    // Two of eight random numbers of 64 bits are the same once in 6 × 10¹⁷ times.
    expect(Set(seeds).count, is: 8)
  }

  // MARK: Metrics

  @Test(
    "A metrics address is a port, or a host and a port",
    arguments: [
      ("9888", "127.0.0.1:9888"), ("0", "127.0.0.1:0"), ("localhost:80", "localhost:80"),
      ("_:9888", "_:9888"), ("[::1]:9888", "[::1]:9888"), ("65535", "127.0.0.1:65535"),
      ("", nil), ("65536", nil), ("-1", nil), ("+1", nil), ("a", nil), (":9888", nil), ("a:", nil),
      ("::1:9888", nil), ("[]:1", nil), ("1:2:3", nil), ("a:b", nil),
    ] as [(String, String?)])
  func metricsAddress(text: String, meaning: String?) {
    expect(MetricsAddress(text)?.description, is: meaning)
  }

  @Test("A ball serves figures only with --metrics; eightball metrics takes any number of balls")
  func metrics() throws {
    expect(try Run.parse([]).metrics, is: nil)
    expect(try Run.parse(["--metrics", "_:0"]).metrics, is: MetricsAddress(host: "_", port: 0))
    let command = try Metrics.parse(["--listen", "9888", "--control", "/a", "--control", "/b"])
    expect(command.listen, is: MetricsAddress(host: "127.0.0.1", port: 9_888))
    expect(command.control, is: ["/a", "/b"])
  }

  @Test("The line says the URL, for people and as JSON, and a browser of this machine can open it")
  func metricsLine() {
    let address = MetricsAddress(host: "::1", port: 0)
    expect(address.line(port: 41_000, isJSON: false), is: "Metrics: http://[::1]:41000/metrics")
    expect(
      address.line(port: 41_000, isJSON: true),
      is: #"{"event":"metrics","url":"http://[::1]:41000/metrics"}"#)
    expect(
      MetricsAddress(host: "_", port: 0).url(atPort: 41_000), is: "http://localhost:41000/metrics")
    expect(MetricsAddress(host: "::1", port: 9).url(atPort: 9), is: "http://[::1]:9/metrics")
  }

  @Test(
    "Beside bluetoothd, an address of the environment is refused, and that of a file is not used")
  func addressBesideDaemon() throws {
    let radio = try RadioAddress("bluez:hci0")
    var options = AddressOptions()
    options.environment = "C0:00:00:00:00:08"
    let error = #expect(throws: UsageError.self) { try options.validate(on: radio) }
    expect(
      error?.text,
      is: "With --radio bluez:hci0, bluetoothd chooses the address: leave EIGHTBALL_ADDRESS out.")
    try options.validate(on: .virtual)

    options.environment = nil
    var peripheral = PeripheralDescription()
    var notes: [String] = []
    for address in ["", "C0:00:00:00:00:09"] {
      peripheral.address = address.isEmpty ? .automatic : try AddressChoice(address)
      expect(try options.choice(for: peripheral, on: radio) { notes.append($0) }, is: .public)
      expect(try options.choice(for: peripheral, on: .virtual) { notes.append($0) }, is: .automatic)
    }
    expect(
      notes,
      is: ["With --radio bluez:hci0, bluetoothd chooses the address: the file's is not used."])
  }
}
