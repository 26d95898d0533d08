import EightBall
import Expectations
import Glibc
import LinuxRadio
import LinuxTestSupport

@testable import eightball

@Suite("The facts of a machine")
struct MachineTests {
  @Test("Processes are listed; holders of adapter sockets are found, without this process")
  func processes() throws {
    let root = try TemporaryDirectory()
    try root.write("bluetoothd\n", to: "612/comm")
    try root.write("eightball\n", to: "812/comm")
    try root.write("bash\n", to: "7/comm")
    try root.write("eightball\n", to: "900/comm")
    try root.write("up 3 days", to: "uptime")
    try root.write(
      """
      sk               RefCnt Rmem   Wmem   User   Inode  Parent
      00000000a4f1b3c2 2      0      0      0      41007  0
      00000000b2f1b3c2 2      0      0      995    41999  0

      """, to: "net/hci")
    try root.link("socket:[41007]", to: "612/fd/9")
    try root.link("socket:[5]", to: "7/fd/3")
    try root.link("/dev/null", to: "812/fd/0")
    try root.link("socket:[41999]", to: "812/fd/4")
    try root.link("socket:[41999]", to: "900/fd/4")
    try root.link("900", to: "self")
    let table = ProcessTable(root: root.path)
    expect(
      table.entries,
      is: [
        ProcessTable.Entry(number: 7, name: "bash"),
        ProcessTable.Entry(number: 612, name: "bluetoothd"),
        ProcessTable.Entry(number: 812, name: "eightball"),
        ProcessTable.Entry(number: 900, name: "eightball"),
      ])
    // Without 900, which is this process.
    expect(
      table.holdersOfAdapterSockets.map(\.description),
      is: [
        "bluetoothd, process 612", "eightball, process 812",
      ])
  }

  @Test("A kernel without Bluetooth has no such sockets")
  func noSockets() throws {
    let root = try TemporaryDirectory()
    try root.write("bash\n", to: "7/comm")
    expect(ProcessTable(root: root.path).holdersOfAdapterSockets, is: [])
  }

  @Test("A service is found by its unit, enabled by a link, running by its control group")
  func service() throws {
    let root = try TemporaryDirectory()
    expect(service(in: root), is: expected())
    try root.write("", to: "run/systemd/system/nothing")
    expect(service(in: root), is: expected(hasSystemd: true))
    try root.write("[Unit]", to: "etc/systemd/system/eightball.service")
    expect(service(in: root), is: expected(hasSystemd: true, isInstalled: true))
    let unit = "/etc/systemd/system/eightball.service"
    try root.link(unit, to: "etc/systemd/system/multi-user.target.wants/eightball.service")
    try root.write("", to: "sys/fs/cgroup/system.slice/eightball.service/cgroup.procs")
    expect(service(in: root), is: expected(hasSystemd: true, isInstalled: true, isEnabled: true))
    try root.write("812\n813\n", to: "sys/fs/cgroup/system.slice/eightball.service/cgroup.procs")
    expect(
      service(in: root),
      is: expected(hasSystemd: true, isInstalled: true, isEnabled: true, processes: [812, 813]))
  }

  @Test(
    "A service is found in each unit folder, and with control groups of version 1",
    arguments: ["usr/lib/systemd/system", "lib/systemd/system", "usr/local/lib/systemd/system"])
  func elsewhere(folder: String) throws {
    let root = try TemporaryDirectory()
    try root.write("[Unit]", to: "\(folder)/eightball.service")
    try root.write("9\n", to: "sys/fs/cgroup/systemd/system.slice/eightball.service/cgroup.procs")
    expect(service(in: root), is: expected(isInstalled: true, processes: [9]))
  }

  @Test("A radio is opened on trial, except an adapter; one in use is distinguished")
  func tried() throws {
    var machine = Machine.here(for: nil)
    machine.checkRadio(.adapter(9))
    expect(machine.radioError, is: nil)
    machine.checkRadio(.unix(path: "/no/such/socket"))
    expect(machine.radioError?.reason, is: "no controller listens at /no/such/socket")
    expect(machine.radioError?.isInUse, is: false)
    let listener = try StreamListener(host: "127.0.0.1", port: 0)
    machine.checkRadio(.tcpServer(host: "127.0.0.1", port: listener.port))
    expect(machine.radioError?.isInUse, is: true)
  }

  private func service(in root: TemporaryDirectory) -> SystemService {
    .find("eightball.service", root: root.path)
  }

  private func expected(
    hasSystemd: Bool = false, isInstalled: Bool = false, isEnabled: Bool = false,
    processes: [Int] = []
  ) -> SystemService {
    SystemService(
      name: "eightball.service", hasSystemd: hasSystemd, isInstalled: isInstalled,
      isEnabled: isEnabled, processes: processes)
  }
}
