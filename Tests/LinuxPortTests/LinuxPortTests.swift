import BallRunner
import BluetoothHost
import Boards
import EightBall
import Glibc
import LinuxSystem
import Testing

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
    var port = try LinuxPort(.adapter(0), board: board, chipsIn: directory, service: service)
    try body(&port)
  }

  @Test("A wait until a time that has passed does not sleep")
  func pastDeadline() throws {
    try withPort { port in
      for deadline in [UInt64(0), 1, port.now.rawValue] {
        let isRight = port.wait(until: Instant(rawValue: deadline))
        #expect(isRight)
      }
      let deadline = port.deadline
      #expect(deadline == nil)
      let requests = port.endRequests
      #expect(requests == 0)
    }
  }

  @Test("Each request to end is counted; a hang-up is one request, and none after another")
  func signals() throws {
    let former = signal(SIGHUP, SIG_DFL)
    defer { _ = signal(SIGHUP, former) }
    try withPort { port in
      var counts: [Int] = []
      for number in [SIGHUP, SIGHUP, SIGTERM, SIGINT, SIGHUP] {
        _ = pthread_kill(pthread_self(), number)
        _ = port.wait(until: Instant(rawValue: 0))
        counts.append(port.endRequests)
      }
      #expect(counts == [1, 1, 2, 3, 3])
      // Two signals at once.
      for number in [SIGTERM, SIGINT] { _ = pthread_kill(pthread_self(), number) }
      _ = port.wait(until: Instant(rawValue: 0))
      let count = port.endRequests
      #expect(count == 5)
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
      let hasPanel = port.hasPanel
      #expect(hasPanel)
      func change() -> LinesChange {
        _ = port.wait(until: Instant(rawValue: 0))
        return port.takeLinesChange()
      }
      #expect(change() == .none)
      close(unsafe creat(".build/port-chips/ttyS9", 0o600))
      #expect(change() == .none)
      close(unsafe creat(".build/port-chips/gpiochip9", 0o600))
      #expect(change() == .chipChanged)
      #expect(change() == .none)
      _ = unsafe unlink(".build/port-chips/gpiochip9")
      #expect(change() == .chipChanged)
    }
  }

  @Test("A directory that cannot be watched, and a board without lines")
  func noChips() throws {
    try withPort(board, chipsIn: "/nowhere") { port in
      _ = port.wait(until: Instant(rawValue: 0))
      let change = port.takeLinesChange()
      #expect(change == .none)
    }
    try withPort { port in
      let hasPanel = port.hasPanel
      #expect(!hasPanel)
    }
  }

  @Test("Lines that are not open: no edges, no contacts, no lights, no presses")
  func closedLines() throws {
    try withPort(board) { port in
      let isOpen = port.openLines()
      #expect(!isOpen)
      let edge = port.nextEdge()
      #expect(edge == .lost)
      for button in [ButtonName.shake, .clear] {
        let contact = port.contact(of: button)
        #expect(contact == .lost)
        let press = port.press(button, isDown: true)
        #expect(press == .noLines)
      }
      for light in [LightName.status, .answer] {
        let isSet = port.set(light, isLit: true)
        #expect(!isSet)
      }
      let isThere = port.checkLines()
      #expect(!isThere)
      let debounce = (port.debounce(of: .shake), port.debounce(of: .clear))
      #expect(debounce == (30, 0))
      let lights = (port.has(.status), port.has(.answer))
      #expect(lights == (true, false))
      port.listen(toEdges: true)
      port.closeLines()
      #expect(
        text { port.writeLinesTrouble(to: &$0) }.hasPrefix("there is no GPIO chip “no-such-chip”"))
      #expect(text { port.writeBoardName(to: &$0) } == "b")
      #expect(text { port.writeRadioName(to: &$0) } == "hci0")
      #expect(text { port.writeVersion(to: &$0) } == "\(EightBallProfile.version)")
    }
  }

  @Test("The service manager of the environment, or why there is none")
  func service() throws {
    try withPort { port in
      let isAbsent = !port.hasServiceManager && port.watchdogTimeout == nil
      #expect(isAbsent)
      let isReported = port.report([1].span)
      #expect(!isReported)
    }
    try withPort(
      service: ServiceEnvironment(socket: lasting("relative"), watchdogTimeout: lasting("3000"))
    ) { port in
      let isAbsent = !port.hasServiceManager && port.watchdogTimeout == nil
      #expect(isAbsent)
      let error = port.serviceError.map { error in text { error.write(to: &$0) } }
      #expect(
        error == "cannot use NOTIFY_SOCKET=relative: expected a path from / on, or @ and a name")
    }
    try withPort(
      service: ServiceEnvironment(socket: lasting("/nowhere"), watchdogTimeout: lasting("3000"))
    ) { port in
      let isThere = port.hasServiceManager && port.watchdogTimeout == 3
      #expect(isThere)
      let isReported = port.report([1].span)
      #expect(!isReported)
    }
  }

  @Test("The control socket of the port, and why there is none")
  func control() throws {
    let folder = try TestDirectory()
    defer { folder.remove("control") }
    try withPort { port in
      let isOpen = port.openControl(
        at: lasting(folder.path + "/control"), allowsRemoteButtons: true)
      #expect(isOpen)
      let state = (port.allowsRemoteButtons, port.hasListeners, port.hasControlEvent)
      #expect(state == (true, false, false))
      // A listener gets the packets that it wants, at the end of the turn.
      let program = try StreamSocket.connect(path: folder.path + "/control")
      _ = port.wait(until: Instant(rawValue: 0))
      var request = ByteBuffer<128>()
      let event = port.nextControlEvent(into: &request)
      #expect(event == .joined(0))
      let isListening = port.hasListeners
      #expect(isListening)
      for isWanted in [false, true] {
        port.sendPackets(isWanted, to: 0)
        port.note([0x01, 0xAF].span, .received)
        _ = port.wait(until: Instant(rawValue: 0))
        var storage = [UInt8](repeating: 0, count: 256)
        var space = storage.mutableSpan
        let result = try program.read(into: &space)
        guard case .bytes(let count) = result else {
          #expect(!isWanted)
          continue
        }
        #expect(isWanted)
        #expect(
          String(decoding: storage.prefix(count), as: UTF8.self)
            .hasSuffix(#","direction":"in","bytes":"01af"}"# + "\n"))
      }
    }
    try withPort { port in
      let isOpen = port.openControl(at: lasting("/nowhere/control"), allowsRemoteButtons: false)
      #expect(!isOpen)
      let isAllowed = port.allowsRemoteButtons
      #expect(!isAllowed)
      #expect(
        text { port.writeControlTrouble(to: &$0) }
          == "cannot listen on /nowhere/control: its folder does not exist")
    }
  }

  // MARK: Parts

  @Test("A button that programs hold: each change once, and none for down and up at once")
  func heldButtons() {
    var held = HeldButtons()
    #expect(held.nextChange() == nil)
    for button in [ButtonName.shake, .clear] {
      let other: ButtonName = button == .shake ? .clear : .shake
      held.set(button, true)
      #expect(held[button])
      #expect(!held[other])
      #expect(held.nextChange() == button)
      #expect(held.nextChange() == nil)
      held.set(button, false)
      #expect(held.nextChange() == button)
      #expect(!held[button])
      held.set(button, true)
      held.set(button, false)
      #expect(held.nextChange() == nil)
      // A person holds it by now: there is no edge.
      held.set(button, true)
      #expect(held.nextChange() == button)
      held.release(button)
      #expect(!held[button])
      #expect(held.nextChange() == nil)
    }
    held.set(.shake, true)
    held.set(.clear, true)
    #expect(held.nextChange() == .shake)
    #expect(held.nextChange() == .clear)
    #expect(held.nextChange() == nil)
  }

  @Test("A group is shown by its name, or by its number if it has none")
  func groups() {
    #expect(text { GroupFile.writeName(of: 0, to: &$0) } == "root")
    #expect(text { GroupFile.writeName(of: 4_294_967_290, to: &$0) } == "4294967290")
  }

  @Test("A group's name has at most 32 bytes")
  func longGroup() {
    for (length, expected) in [(31, 31), (32, 32), (33, 32)] {
      var scanner = GroupScanner(7)
      let file = String(repeating: "g", count: length) + ":x:7:"
      var isFound = false
      for byte in file.utf8 where !isFound { isFound = scanner.take(byte) }
      #expect(isFound)
      let count = scanner.name.count
      #expect(count == expected)
    }
  }

  @Test("Parts of a text that lasts, and where a byte or a word is")
  func texts() {
    let whole = ProgramText("a:b:c")
    #expect(
      (-1...6).map { whole.first($0).string } == [
        "", "", "a", "a:", "a:b", "a:b:", "a:b:c", "a:b:c",
      ])
    #expect(
      (-1...6).map { whole.dropping($0).string }
        == ["a:b:c", "a:b:c", ":b:c", "b:c", ":c", "c", "", ""])
    let span = whole.span
    #expect(span.lastIndex(of: UInt8(ascii: ":")) == 3)
    #expect(span.lastIndex(of: UInt8(ascii: "a")) == 0)
    #expect(span.lastIndex(of: UInt8(ascii: "x")) == nil)
    #expect(span.firstIndex(of: ":" as StaticString) == 1)
    #expect(span.firstIndex(of: "b:c" as StaticString) == 2)
    #expect(span.firstIndex(of: "cd" as StaticString) == nil)
    #expect(ProgramText(environment: "EIGHTBALL_NO_SUCH_VARIABLE") == nil ? true : false)
  }

  @Test("The beginning of a file is read, and a file that cannot be read is an error")
  func file() throws {
    var space = [UInt8](repeating: 7, count: 16)
    func read(_ path: StaticString) throws(ErrorNumber) -> Int {
      try readFile(ProgramText(path), into: space.mutableSpan)
    }
    #expect(throws: ErrorNumber.noSuchFile) { try read("/nowhere/file") }
    #expect(throws: ErrorNumber.isDirectory) { try read("/") }
    #expect(try read("/dev/null") == 0)
    #expect(try read("/dev/zero") == 16)
    #expect(space == [UInt8](repeating: 0, count: 16))
  }

  @Test("What a failed call was for, and why it failed")
  func failures() {
    func words(_ failure: PortFailure) -> String {
      text { failure.write(to: &$0) { $0.write(text: "X") } }
    }
    let reason = "Device or resource busy"
    for (operation, purpose) in [
      (PortOperation.accept, "accept a connection on X"), (.configure, "configure X"),
      (.connect, "connect to X"), (.createSocket, "create a socket for X"), (.find, "find X"),
      (.listen, "listen on X"), (.open, "open X"), (.read, "read from X"),
      (.takeOver, "take over X"), (.use, "use X"), (.wait, "wait for X"), (.write, "write to X"),
    ] {
      #expect(
        words(PortFailure(code: .busy, operation: operation)) == "cannot \(purpose): \(reason)")
    }
    #expect(
      words(PortFailure(code: .notPermitted, operation: .use, explanation: .owner(1_001)))
        == "cannot use X: the socket is another user's (1001)")
    #expect(
      words(PortFailure(code: .nameTooLong, operation: .use, explanation: .pathTooLong))
        == "cannot use X: a socket's path is at most 107 bytes long")
  }

  @Test(
    "Addresses without a lookup: 127.0.0.1 and ::1, all of both families, or the given one",
    arguments: [
      ("", false, ["127.0.0.1", "::1"]), ("localhost", true, ["127.0.0.1", "::1"]),
      ("_", true, ["0.0.0.0", "::"]), ("_", false, []), ("10.1.2.3", false, ["10.1.2.3"]),
      ("::2", true, ["::2"]), ("pi.local", false, []),
    ])
  func addresses(_ host: String, toListen: Bool, expected: [String]) {
    var name = InlineCString<256>()
    #expect(name.assign(Array(host.utf8).span) == true)
    for index in 0..<3 {
      let address = TCPAddress(name, index, toListen: toListen)
      guard index < expected.count else {
        #expect(address == nil ? true : false)
        continue
      }
      guard let address else {
        Issue.record("There is no address \(index).")
        continue
      }
      let family = address.length == 4 ? AF_INET : AF_INET6
      #expect(address.length == 4 || address.length == 16)
      var shown = [CChar](repeating: 0, count: 64)
      let bytes = (0..<16).map { address.bytes[$0] }
      _ = unsafe inet_ntop(family, bytes, &shown, 64)
      #expect(
        String(decoding: shown.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
          == expected[index])
    }
  }
}
