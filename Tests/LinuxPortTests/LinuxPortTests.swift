import BallRunner
import BluetoothHost
import EightBall
import Expectations
import Glibc
import LinuxRadio
import LinuxTestSupport

@testable import Linux
@testable import LinuxPort

/// The whole port, without a radio: its queue, its signals, its lines, its texts.
@Suite("The port of Linux", .serialized)
struct LinuxPortTests {
  /// A board whose chip this machine does not have.
  private var board: BoardDescription {
    var board = BoardDescription(name: "b", chip: "no-such-chip")
    board.shake = LineDescription(
      name: "GPIO5", offset: 5, activeLow: true, bias: .pullUp, debounceMilliseconds: 30)
    board.status = LineDescription(
      name: "GPIO6", offset: 6, activeLow: false, bias: .none, debounceMilliseconds: 0)
    return board
  }

  /// Calls `body` with a port. The signals that it blocks in this thread are unblocked after that.
  private func withPort(
    _ board: BoardDescription? = nil, chipsIn directory: StaticString = "/dev/null",
    service: ServiceEnvironment = ServiceEnvironment(socket: nil),
    _ body: (inout LinuxPort) throws -> Void
  ) throws {
    var former = sigset_t()
    _ = unsafe pthread_sigmask(SIG_BLOCK, nil, &former)
    defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &former, nil) }
    var port = try LinuxPort(
      .adapter(0), board: board, name: DeviceName(StaticText("Ball")), chipsIn: directory,
      service: service)
    try body(&port)
  }

  @Test("A wait until a time that has passed does not sleep")
  func pastDeadline() throws {
    try withPort { port in
      for deadline in [UInt64(0), 1, port.now.rawValue] {
        expect(port.wait(until: Instant(rawValue: deadline)))
      }
      expect(port.deadline, is: nil)
      expect(port.endRequests, is: 0)
    }
  }

  @Test("Each request to end is counted; a hang-up is one request, and none after another")
  func signals() throws {
    try withDisposition(of: SIGHUP, SIG_DFL) {
      try withPort { port in
        var counts: [Int] = []
        for number in [SIGHUP, SIGHUP, SIGTERM, SIGINT, SIGHUP] {
          _ = pthread_kill(pthread_self(), number)
          _ = port.wait(until: Instant(rawValue: 0))
          counts.append(port.endRequests)
        }
        expect(counts, is: [1, 1, 2, 3, 3])
        // Two signals at once.
        for number in [SIGTERM, SIGINT] { _ = pthread_kill(pthread_self(), number) }
        _ = port.wait(until: Instant(rawValue: 0))
        expect(port.endRequests, is: 5)
      }
    }
  }

  @Test("A chip that comes wakes the loop; another device does not change the lines")
  func chips() throws {
    // In the folder in which the tests run: the watched path must be a literal.
    _ = unsafe mkdir(".build", 0o755)
    _ = unsafe mkdir(".build/port-chips", 0o755)
    defer {
      for name in ["ttyS9", "gpiochip9"] { _ = unsafe unlink(".build/port-chips/\(name)") }
      _ = unsafe rmdir(".build/port-chips")
    }
    try withPort(board, chipsIn: ".build/port-chips") { port in
      expect(port.hasPanel)
      func change() -> LinesChange {
        _ = port.wait(until: Instant(rawValue: 0))
        return port.takeLinesChange()
      }
      expect(change(), is: .none)
      close(unsafe creat(".build/port-chips/ttyS9", 0o600))
      expect(change(), is: .none)
      close(unsafe creat(".build/port-chips/gpiochip9", 0o600))
      expect(change(), is: .chipChanged)
      expect(change(), is: .none)
      _ = unsafe unlink(".build/port-chips/gpiochip9")
      expect(change(), is: .chipChanged)
    }
  }

  @Test("A directory that cannot be watched, and a board without lines")
  func noChips() throws {
    try withPort(board, chipsIn: "/nowhere") { port in
      _ = port.wait(until: Instant(rawValue: 0))
      expect(port.takeLinesChange(), is: .none)
    }
    try withPort { port in expect(!port.hasPanel) }
  }

  @Test("Lines that are not open: no edges, no contacts, no lights, no presses")
  func closedLines() throws {
    try withPort(board) { port in
      expect(!port.openLines())
      expect(port.nextEdge(), is: .lost)
      for button in [ButtonName.shake, .clear] {
        expect(port.contact(of: button), is: .lost)
        expect(port.press(button, isDown: true), is: .noLines)
      }
      for light in [LightName.status, .answer] { expect(!port.set(light, isLit: true)) }
      expect(!port.checkLines())
      let debounce = (port.debounce(of: .shake), port.debounce(of: .clear))
      expect(debounce == (30, 0))
      let lights = (port.has(.status), port.has(.answer))
      expect(lights == (true, false))
      port.listen(toEdges: true)
      port.closeLines()
      expect(
        text { port.writeLinesError(to: &$0) },
        is:
          "there is no GPIO chip “no-such-chip” on this machine. Is this the right board? See what there "
          + "is: gpiodetect")
      expect(text { port.writeBoardName(to: &$0) }, is: "b")
      expect(text { port.writeRadioName(to: &$0) }, is: "hci0")
      expect(text { port.writeVersion(to: &$0) }, is: "\(EightBallProfile.version)")
    }
  }

  @Test("A motion sensor's line alone is a panel, without buttons and lights")
  func motionAlone() throws {
    var board = BoardDescription(name: "b", chip: "no-such-chip")
    board.motion = MotionDescription(
      BusPart(.lis3dh, bus: 1),
      line: LineDescription(
        name: "GPIO17", offset: 17, activeLow: false, bias: .pullDown, debounceMilliseconds: 0))
    try withPort(board) { port in
      expect(port.hasPanel)
      expect(!port.openLines())
      expect(!port.takeShake(at: Instant(rawValue: 0)))
      expect(!port.has(.status) && !port.has(.answer))
      expect(
        text { port.writeLinesError(to: &$0) }.hasPrefix("there is no GPIO chip “no-such-chip”"))
    }
    board.motion = nil
    board.display = BusPart(.ssd1306, bus: 1)
    // A display alone has no lines to lose.
    try withPort(board) { port in
      expect(port.hasPanel)
      expect(port.openLines() && port.checkLines())
      expect(port.nextEdge(), is: .none)
      expect(port.contact(of: .shake), is: .none)
      expect(port.set(.status, isLit: true))
    }
  }

  @Test("A part without its bus is reported, with what to do")
  func missingBus() throws {
    var board = BoardDescription(name: "b")
    board.display = BusPart(.ssd1306, bus: 250)
    try withPort(board) { port in
      port.show(BallState(status: .advertising), at: Instant(rawValue: 0))
      let change = port.takePartChange()
      expect(change, is: PartChange(part: .display, event: .lost(.bus(.unavailable(code: ENOENT)))))
      expect(
        text { port.write(.bus(.unavailable(code: ENOENT)), of: .display, to: &$0) }
          .hasPrefix("/dev/i2c-250 is missing. Enable I2C"))
    }
  }

  @Test("The service manager of the environment, or why there is none")
  func service() throws {
    try withPort { port in
      expect(!port.hasServiceManager && port.watchdogTimeout == nil)
      expect(!port.report([1].span))
    }
    try withPort(
      service: ServiceEnvironment(socket: lasting("relative"), watchdogTimeout: lasting("3000"))
    ) { port in
      expect(!port.hasServiceManager && port.watchdogTimeout == nil)
      let error = port.serviceError.map { error in text { error.write(to: &$0) } }
      expect(
        error, is: "cannot use NOTIFY_SOCKET=relative: expected a path from / on, or @ and a name")
    }
    try withPort(
      service: ServiceEnvironment(socket: lasting("/nowhere"), watchdogTimeout: lasting("3000"))
    ) { port in
      expect(port.hasServiceManager && port.watchdogTimeout == 3)
      expect(!port.report([1].span))
    }
  }

  @Test("The control socket of the port, and why there is none")
  func control() throws {
    let folder = try TemporaryDirectory()
    try withPort { port in
      let isOpen = port.openControl(
        at: lasting(folder.path + "/control"), allowsRemoteButtons: true)
      expect(isOpen)
      let state = (port.allowsRemoteButtons, port.hasListeners, port.hasControlEvent)
      expect(state == (true, false, false))
      // A listener gets the packets that it wants, at the end of the turn.
      let program = try StreamSocket.connect(path: folder.path + "/control")
      _ = port.wait(until: Instant(rawValue: 0))
      var request = ByteBuffer<128>()
      expect(port.nextControlEvent(into: &request), is: .joined(0))
      expect(port.hasListeners)
      for isWanted in [false, true] {
        port.sendPackets(isWanted, to: 0)
        port.note([0x01, 0xAF].span, .received)
        _ = port.wait(until: Instant(rawValue: 0))
        let line = program.readText() ?? ""
        expect(
          isWanted
            ? line.hasSuffix(#","direction":"in","bytes":"01af"}"# + "\n") : line.isEmpty, "\(line)"
        )
      }
    }
    try withPort { port in
      expect(!port.openControl(at: lasting("/nowhere/control"), allowsRemoteButtons: false))
      expect(!port.allowsRemoteButtons)
      expect(
        text { port.writeControlError(to: &$0) },
        is: "cannot listen on /nowhere/control: its folder does not exist")
    }
  }

  // MARK: Parts

  @Test("A button that programs hold: each change once, and none for down and up at once")
  func heldButtons() {
    var held = HeldButtons()
    expect(held.nextChange(), is: nil)
    for button in [ButtonName.shake, .clear] {
      let other: ButtonName = button == .shake ? .clear : .shake
      held.set(button, true)
      expect(held[button])
      expect(!held[other])
      expect(held.nextChange(), is: button)
      expect(held.nextChange(), is: nil)
      held.set(button, false)
      expect(held.nextChange(), is: button)
      expect(!held[button])
      held.set(button, true)
      held.set(button, false)
      expect(held.nextChange(), is: nil)
      // A person holds it by now: there is no edge.
      held.set(button, true)
      expect(held.nextChange(), is: button)
      held.release(button)
      expect(!held[button])
      expect(held.nextChange(), is: nil)
    }
    held.set(.shake, true)
    held.set(.clear, true)
    expect(held.nextChange(), is: .shake)
    expect(held.nextChange(), is: .clear)
    expect(held.nextChange(), is: nil)
  }

  // MARK: Limits

  @Test("A kernel that gives no socket for the service manager is the reason in the message")
  func noSocket() async {
    // In a process of its own: the limit on files is for a whole process.
    await #expect(processExitsWith: .success) {
      var words = ""
      let environment = ServiceEnvironment(socket: lasting("/run/notify"))
      try withoutDescriptors {
        do throws(ServiceError) {
          _ = try PortService(environment)
        } catch {
          let failure = error
          words = text { failure.write(to: &$0) }
        }
      }
      expect(words.contains("/run/notify"))
      expect(words.contains("Too many open files"), "\(words)")
    }
  }

  @Test(
    "A kernel that gives no descriptor for a chip's folder or a queue gives no watch and no queue")
  func noWatch() async {
    // In a process of its own: the limit on files is for a whole process.
    await #expect(processExitsWith: .success) {
      var (hasWatch, hasQueue) = (true, true)
      try withoutDescriptors {
        do throws(ErrorNumber) {
          _ = unsafe try DirectoryChanges("/dev")
        } catch {
          hasWatch = error != .tooManyOpenFiles
        }
        switch PollQueue() {
        case nil: hasQueue = false
        case _?: break
        }
      }
      expect(!hasWatch)
      expect(!hasQueue)
    }
  }

  @Test("Lines report a hang-up, which nothing hides; input is none")
  func hangUp() {
    var lines = PortLines(BoardDescription(named: "none"), directory: "/dev")
    func change() -> LinesChange { lines.takeChange() }
    lines.handle(.readable)
    expect(change(), is: .none)
    lines.handle(Readiness(rawValue: 0x001 | 0x010))
    lines.chipsChanged()
    expect(change(), is: .hungUp)
    expect(change(), is: .none)
    lines.chipsChanged()
    expect(change(), is: .chipChanged)
    expect(change(), is: .none)
  }
}
