import BallRunner
import BluetoothHost
import Foundation
import Glibc
import LinuxSystem
import Testing

@testable import Linux
@testable import LinuxPort

@Suite("The control socket of the Linux port")
struct PortControlTests: ControlTests {
  let folder: TestDirectory

  init() throws { folder = try TestDirectory() }

  @Test("A new listener receives the state before the changes")
  func order() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    let program = try connect()
    bench.handle()
    #expect(bench.isInUse)
    bench.control.send(Array("change\n".utf8).span, to: nil)
    var request = ByteBuffer<128>()
    let joined = bench.control.nextEvent(into: &request)
    #expect(joined == .joined(0))
    bench.control.send(Array("state\n".utf8).span, to: 0)
    bench.control.send(Array("change 2\n".utf8).span, to: nil)
    #expect(try read(program) == "state\nchange 2\n")
  }

  @Test("Lines may come in pieces, and several at once")
  func lines() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    let program = try connect()
    #expect(bench.takeEvents() == ["joined 0"])
    write(program, "down ")
    #expect(bench.takeEvents() == [])
    write(program, "shake\nup shake\npack")
    #expect(bench.takeEvents() == ["down shake", "up shake"])
    write(program, "ets\n\n")
    #expect(bench.takeEvents() == ["packets", ""])
    #expect(!bench.hasEvents)
    shutdown(program.rawValue, CInt(SHUT_WR))
    #expect(bench.takeEvents() == ["left 0"])
    #expect(!bench.isInUse)
  }

  @Test("A program whose line is longer than 128 bytes is dropped")
  func longLine() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    let longest = String(repeating: "x", count: 128)
    let program = try connect()
    let other = try connect()
    #expect(bench.takeEvents() == ["joined 0"])
    #expect(bench.takeEvents() == ["joined 1"])
    write(program, longest + "\n")
    write(other, longest + "x\n")
    #expect(bench.takeEvents() == [longest, "left 1"])
    #expect(try read(other) == nil)
  }

  @Test("A program that does not read is dropped, and no other")
  func slow() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    let slow = try connect()
    let quick = try connect()
    while !bench.takeEvents().isEmpty {}
    bench.control.send(Array("state\n".utf8).span, to: 0)
    bench.control.send(Array("state\n".utf8).span, to: 1)
    #expect(try read(quick) == "state\n")
    let line = String(repeating: "x", count: 99) + "\n"
    var sent = 0
    var events: [String] = []
    while events.isEmpty, sent < 100_000 {
      bench.control.send(Array(line.utf8).span, to: nil)
      #expect(try read(quick) == line)
      sent += 1
      if bench.hasEvents { events = bench.takeEvents() }
    }
    #expect(events == ["left 0"])
    // The kernel's own limit, net.core.wmem_max, is 212,992 bytes at the least, and a line takes 1 kB of them.
    #expect(sent > 200)
    var got = ""
    while let more = try read(slow) { got += more }
    #expect(got == "state\n" + String(repeating: line, count: sent - 1))
  }

  @Test("16 programs listen at once; the next one gets the reason")
  func many() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    var programs: [CInt] = []
    defer { for number in programs { close(number) } }
    for number in 0..<16 {
      programs.append(try connectRaw())
      #expect(bench.takeEvents() == ["joined \(number)"])
    }
    let late = try connect()
    #expect(bench.takeEvents() == [])
    // The same line as of `eightball run`.
    #expect(
      try read(late) == #"{"event":"error","request":"","detail":"16 programs listen to the ball, "#
        + "which takes no more. End one of them\"}\n")
    #expect(try read(late) == nil)
    close(programs.remove(at: 3))
    #expect(bench.takeEvents() == ["left 3"])
    let next = try connect()
    #expect(bench.takeEvents() == ["joined 3"])
    _ = next.rawValue
  }

  @Test("With no file descriptor left the socket pauses for a second")
  func files() async {
    // In a process of its own: the limit on files is for a whole process.
    await #expect(processExitsWith: .success) {
      let it = try PortControlTests()
      defer { it.folder.remove("control", ".control.eightball-lock") }
      let bench = try it.open()
      let program = try it.connect()
      var limit = rlimit()
      try #require(unsafe getrlimit(__rlimit_resource_t(7), &limit) == 0)
      // A new file has the lowest free number.
      let free = dup(program.rawValue)
      close(free)
      var none = rlimit(rlim_cur: rlim_t(free), rlim_max: limit.rlim_max)
      try #require(unsafe setrlimit(__rlimit_resource_t(7), &none) == 0)
      bench.handle()
      try #require(unsafe setrlimit(__rlimit_resource_t(7), &limit) == 0)
      let deadline = try #require(bench.deadline)
      #expect(!bench.isInUse)
      #expect(bench.pendingEvents == 0, "The program that waits does not wake the loop.")
      bench.advance(to: deadline)
      #expect(bench.deadline == nil)
      #expect(bench.pendingEvents == 1)
      #expect(bench.takeEvents() == ["joined 0"])
    }
  }

  @Test("Each packet goes to the programs that want it")
  func packets() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    let program = try connect()
    let other = try connect()
    while !bench.takeEvents().isEmpty {}
    #expect(!bench.hasPacketListeners)
    bench.control.sendPackets(true, to: 0)
    #expect(bench.hasPacketListeners)
    bench.control.note([0x01, 0x03, 0x0C, 0x00].span, .sent)
    bench.control.note([0x04, 0x0E, 0xFF].span, .received)
    bench.control.sendPackets()
    let lines = try #require(try read(program)).split(separator: "\n")
    #expect(try read(other) == "")
    let expected = [
      #/\{"event":"packet","time":[0-9]{16},"direction":"out","bytes":"01030c00"\}/#,
      #/\{"event":"packet","time":[0-9]{16},"direction":"in","bytes":"040eff"\}/#,
    ]
    #expect(lines.count == 2)
    for (line, form) in zip(lines, expected) {
      #expect(line.wholeMatch(of: form) != nil, "\(line)")
    }
    bench.control.sendPackets(false, to: 0)
    #expect(!bench.hasPacketListeners)
    #expect(bench.isInUse)
  }

  // Symptom: packets from before its request.
  @Test("A program gets no packet that was noted for the one before it")
  func olderPackets() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    do {
      let first = try connect()
      #expect(bench.takeEvents() == ["joined 0"])
      bench.control.sendPackets(true, to: 0)
      bench.control.note([0x01, 0x03, 0x0C, 0x00].span, .sent)
      _ = consume first
    }
    #expect(bench.takeEvents() == ["left 0"])
    #expect(!bench.hasPacketListeners)
    let next = try connect()
    #expect(bench.takeEvents() == ["joined 0"])
    bench.control.sendPackets(true, to: 0)
    bench.control.sendPackets()
    #expect(try read(next) == "")
  }

  @Test("A program gets nothing of the one before it at its place: no half line, no packets")
  func nextListener() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    do {
      let first = try connect()
      #expect(bench.takeEvents() == ["joined 0"])
      write(first, "down sha")
      #expect(bench.takeEvents() == [])
      bench.control.sendPackets(true, to: 0)
      _ = consume first
    }
    #expect(bench.takeEvents() == ["left 0"])
    let next = try connect()
    #expect(bench.takeEvents() == ["joined 0"])
    #expect(!bench.hasPacketListeners)
    write(next, "ke\n")
    #expect(bench.takeEvents() == ["ke"])
    bench.control.note([0x04, 0x0E, 0xFF].span, .received)
    bench.control.sendPackets()
    #expect(try read(next) == "")
  }

  // 8,192 bytes hold 3 packets of 1,021 bytes: each takes 2 × 1,021 digits and at most 100 bytes.
  @Test("Packets that fill the buffer in one turn are sent, none is lost")
  func manyPackets() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    let program = try connect()
    #expect(bench.takeEvents() == ["joined 0"])
    bench.control.sendPackets(true, to: 0)
    for number in UInt8(0)..<20 {
      let packet = [0x02, number] + [UInt8](repeating: 7, count: 1_019)
      bench.control.note(packet.span, .sent)
    }
    bench.control.sendPackets()
    var all = ""
    while let more = try read(program), !more.isEmpty { all += more }
    let lines = all.split(separator: "\n")
    #expect(lines.count == 20)
    for (number, line) in lines.enumerated() {
      let digits = String(number, radix: 16)
      let start = number < 16 ? "020" + digits : "02" + digits
      #expect(line.contains("\"bytes\":\"" + start + "07"))
    }
  }

  @Test("A program cannot press a button that a person holds; it stays down if both held it")
  func programAndPerson() {
    var held = HeldButtons()
    #expect(held.press(.shake, isDown: true, wired: .none) == .noButton)
    #expect(held.press(.shake, isDown: true, wired: .lost) == .noLines)
    #expect(held.press(.shake, isDown: true, wired: .closed) == .isDown)
    #expect(held.nextChange() == nil)
    #expect(held.press(.shake, isDown: true, wired: .open) == .done)
    #expect(held.nextChange() == .shake)
    // The contact has closed meanwhile: the button goes up when the person releases it.
    #expect(held.press(.shake, isDown: false, wired: .closed) == .done)
    #expect(!held[.shake])
    #expect(held.nextChange() == nil)
    #expect(held.press(.shake, isDown: true, wired: .open) == .done)
    #expect(held.nextChange() == .shake)
    #expect(held.press(.shake, isDown: false, wired: .open) == .done)
    #expect(held.nextChange() == .shake && !held[.shake])
  }

  @Test("The buttons that programs hold are remembered")
  func held() {
    var held = HeldButtons()
    #expect(held.nextChange() == nil)
    held.set(.shake, true)
    #expect(held[.shake] && !held[.clear])
    #expect(held.nextChange() == .shake)
    #expect(held.nextChange() == nil)
    held.set(.clear, true)
    held.set(.shake, false)
    #expect(held.nextChange() == .shake)
    #expect(held.nextChange() == .clear)
    held.release(.clear)
    #expect(!held[.clear])
    #expect(held.nextChange() == nil)
    // Pressed and released at once is a bounce.
    held.set(.shake, true)
    held.set(.shake, false)
    #expect(held.nextChange() == nil)
  }
}
