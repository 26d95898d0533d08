import BallRunner
import BluetoothHost
import Expectations
import Foundation
import LinuxRadio
import LinuxTestSupport

@testable import Linux
@testable import LinuxPort

@Suite("The control socket of the Linux port")
struct ControlSocketTests {
  private let folder: TemporaryDirectory
  private let bench: ControlBench

  init() throws {
    folder = try TemporaryDirectory()
    bench = try .listening(at: folder.path + "/control")
  }

  @Test("A new listener receives the state before the changes")
  func order() throws {
    let program = try bench.connect()
    bench.handle()
    expect(bench.isInUse)
    bench.send("change\n")
    var request = ByteBuffer<128>()
    let joined = bench.control.nextEvent(into: &request)
    expect(joined, is: .joined(0))
    bench.send("state\n", to: 0)
    bench.send("change 2\n")
    expect(program.readText(), is: "state\nchange 2\n")
  }

  @Test("Lines may come in pieces, and several at once")
  func lines() throws {
    let program = try bench.connect()
    expect(bench.takeEvents(), is: ["joined 0"])
    try program.write("down ")
    expect(bench.takeEvents(), is: [])
    try program.write("shake\nup shake\npack")
    expect(bench.takeEvents(), is: ["down shake", "up shake"])
    try program.write("ets\n\n")
    expect(bench.takeEvents(), is: ["packets", ""])
    expect(!bench.hasEvents)
    shutdown(program.rawValue, CInt(SHUT_WR))
    expect(bench.takeEvents(), is: ["left 0"])
    expect(!bench.isInUse)
  }

  @Test("A program whose line is longer than 128 bytes is dropped")
  func longLine() throws {
    let longest = String(repeating: "x", count: 128)
    let program = try bench.connect()
    let other = try bench.connect()
    expect(bench.takeEvents(), is: ["joined 0"])
    expect(bench.takeEvents(), is: ["joined 1"])
    try program.write(longest + "\n")
    try other.write(longest + "x\n")
    expect(bench.takeEvents(), is: [longest, "left 1"])
    expect(other.readText(), is: nil)
  }

  @Test("A program that does not read is dropped, and no other")
  func slow() throws {
    let slow = try bench.connect()
    let quick = try bench.connect()
    while !bench.takeEvents().isEmpty {}
    bench.send("state\n", to: 0)
    bench.send("state\n", to: 1)
    expect(quick.readText(), is: "state\n")
    let line = String(repeating: "x", count: 99) + "\n"
    var sent = 0
    var events: [String] = []
    while events.isEmpty, sent < 100_000 {
      bench.send(line)
      expect(quick.readText(), is: line)
      sent += 1
      if bench.hasEvents { events = bench.takeEvents() }
    }
    expect(events, is: ["left 0"])
    // The kernel's own limit, net.core.wmem_max, is 212,992 bytes at the least, and a line takes 1 kB of them.
    expect(sent > 200)
    var got = ""
    while let more = slow.readText() { got += more }
    expect(got, is: "state\n" + String(repeating: line, count: sent - 1))
  }

  @Test("With a limit for room a program that reads late gets all, and one that never reads goes")
  func late() throws {
    // Only the thread uses it.
    nonisolated(unsafe) let reader = ControllerEnd(try bench.connect())
    expect(bench.takeEvents(), is: ["joined 0"])
    bench.control.roomLimit = 60_000
    let line = String(repeating: "x", count: 99) + "\n"
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      expect(try? unsafe reader.read(atLeast: 500_000).count, is: 500_000)
      end.signal()
    }
    for _ in 0..<5_000 { bench.send(line) }
    end.wait()
    expect(bench.takeEvents(), is: [])

    bench.control.roomLimit = 1
    while !bench.hasEvents { bench.send(line) }
    expect(bench.takeEvents(), is: ["left 0"])
  }

  @Test("16 programs listen at once; the next one gets the reason")
  func many() throws {
    let programs = try (0..<16).map { number in
      let program = ControllerEnd(try bench.connect())
      expect(bench.takeEvents(), is: ["joined \(number)"])
      return program
    }
    let late = try bench.connect()
    expect(bench.takeEvents(), is: [])
    // The same line as of `eightball run`.
    expect(
      late.readText(),
      is: #"{"event":"error","request":"","detail":"16 programs listen to the ball, "#
        + "which takes no more. End one of them\"}\n")
    expect(late.readText(), is: nil)
    programs[3].close()
    expect(bench.takeEvents(), is: ["left 3"])
    let next = try bench.connect()
    expect(bench.takeEvents(), is: ["joined 3"])
    _ = next.rawValue
  }

  @Test("With no file descriptor left the socket pauses for a second, and not a millisecond less")
  func files() async {
    // In a process of its own: the limit on files is for a whole process.
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryDirectory()
      let bench = try ControlBench.listening(at: folder.path + "/control")
      let program = try bench.connect()
      var times = [MonotonicClock.now]
      try withoutDescriptors {
        bench.handle()
        times.append(MonotonicClock.now)
      }
      let deadline = try #require(bench.deadline)
      expect(deadline >= times[0].advanced(by: 1_000))
      expect(deadline <= times[1].advanced(by: 1_000))
      expect(!bench.isInUse)
      expect(bench.pendingEvents, is: 0, "The program that waits does not wake the loop.")
      bench.advance(to: Instant(rawValue: deadline.rawValue - 1))
      expect(bench.deadline, is: deadline)
      bench.advance(to: deadline)
      expect(bench.deadline, is: nil)
      expect(bench.pendingEvents, is: 1)
      expect(bench.takeEvents(), is: ["joined 0"])
      _ = program.rawValue
    }
  }

  @Test("Each packet goes to the programs that want it")
  func packets() throws {
    let program = try bench.connect()
    let other = try bench.connect()
    while !bench.takeEvents().isEmpty {}
    expect(!bench.hasPacketListeners)
    bench.control.sendPackets(true, to: 0)
    expect(bench.hasPacketListeners)
    bench.control.note([0x01, 0x03, 0x0C, 0x00].span, .sent)
    bench.control.note([0x04, 0x0E, 0xFF].span, .received)
    bench.control.sendPackets()
    let lines = (program.readText() ?? "").split(separator: "\n")
    expect(other.readText(), is: "")
    let expected = [
      #/\{"event":"packet","time":[0-9]{16},"direction":"out","bytes":"01030c00"\}/#,
      #/\{"event":"packet","time":[0-9]{16},"direction":"in","bytes":"040eff"\}/#,
    ]
    expect(lines.count, is: 2)
    for (line, form) in zip(lines, expected) {
      expect(line.wholeMatch(of: form) != nil, "\(line)")
    }
    bench.control.sendPackets(false, to: 0)
    expect(!bench.hasPacketListeners)
    expect(bench.isInUse)
  }

  // Symptom: packets from before its request.
  @Test("A program gets no packet that was noted for the one before it")
  func olderPackets() throws {
    do {
      let first = try bench.connect()
      expect(bench.takeEvents(), is: ["joined 0"])
      bench.control.sendPackets(true, to: 0)
      bench.control.note([0x01, 0x03, 0x0C, 0x00].span, .sent)
      _ = consume first
    }
    expect(bench.takeEvents(), is: ["left 0"])
    expect(!bench.hasPacketListeners)
    let next = try bench.connect()
    expect(bench.takeEvents(), is: ["joined 0"])
    bench.control.sendPackets(true, to: 0)
    bench.control.sendPackets()
    expect(next.readText(), is: "")
  }

  @Test("A program gets nothing of the one before it at its place: no half line, no packets")
  func nextListener() throws {
    do {
      let first = try bench.connect()
      expect(bench.takeEvents(), is: ["joined 0"])
      try first.write("down sha")
      expect(bench.takeEvents(), is: [])
      bench.control.sendPackets(true, to: 0)
      _ = consume first
    }
    expect(bench.takeEvents(), is: ["left 0"])
    let next = try bench.connect()
    expect(bench.takeEvents(), is: ["joined 0"])
    expect(!bench.hasPacketListeners)
    try next.write("ke\n")
    expect(bench.takeEvents(), is: ["ke"])
    bench.control.note([0x04, 0x0E, 0xFF].span, .received)
    bench.control.sendPackets()
    expect(next.readText(), is: "")
  }

  // 8,192 bytes hold 3 packets of 1,021 bytes: each takes 2 × 1,021 digits and at most 100 bytes.
  @Test("Packets that fill the buffer in one turn are sent, none is lost")
  func manyPackets() throws {
    let program = try bench.connect()
    expect(bench.takeEvents(), is: ["joined 0"])
    bench.control.sendPackets(true, to: 0)
    for number in UInt8(0)..<20 {
      let packet = [0x02, number] + [UInt8](repeating: 7, count: 1_019)
      bench.control.note(packet.span, .sent)
    }
    bench.control.sendPackets()
    var all = ""
    while let more = program.readText(), !more.isEmpty { all += more }
    let lines = all.split(separator: "\n")
    expect(lines.count, is: 20)
    for (number, line) in lines.enumerated() {
      let digits = String(number, radix: 16)
      let start = number < 16 ? "020" + digits : "02" + digits
      expect(line.contains("\"bytes\":\"" + start + "07"))
    }
  }

  @Test("A program cannot press a button that a person holds; it stays down if both held it")
  func programAndPerson() {
    var held = HeldButtons()
    expect(held.press(.shake, isDown: true, wired: .none), is: .noButton)
    expect(held.press(.shake, isDown: true, wired: .lost), is: .noLines)
    expect(held.press(.shake, isDown: true, wired: .closed), is: .isDown)
    expect(held.nextChange(), is: nil)
    expect(held.press(.shake, isDown: true, wired: .open), is: .done)
    expect(held.nextChange(), is: .shake)
    // The contact has closed meanwhile: the button goes up when the person releases it.
    expect(held.press(.shake, isDown: false, wired: .closed), is: .done)
    expect(!held[.shake])
    expect(held.nextChange(), is: nil)
    expect(held.press(.shake, isDown: true, wired: .open), is: .done)
    expect(held.nextChange(), is: .shake)
    expect(held.press(.shake, isDown: false, wired: .open), is: .done)
    expect(held.nextChange() == .shake && !held[.shake])
  }
}
