import Glibc
import LinuxSystem
import Testing

@Suite("Serial port")
struct SerialPortTests {
  @Test("Carries every byte unchanged")
  func raw() throws {
    // A pseudo-terminal is the only serial line that every machine has.
    let master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    try #require(master >= 0)
    let far = FileDescriptor(owning: master, name: "master")
    // TIOCSPTLCK and TIOCGPTN, macros that Swift cannot read.
    var locked: CInt = 0
    try #require(unsafe ioctl(master, 0x4004_5431, &locked) == 0)
    var number: CInt = 0
    try #require(unsafe ioctl(master, 0x8004_5430, &number) == 0)

    let near = try SerialPort.open("/dev/pts/\(number)", speed: 115_200)
    let every = (0...255).map { UInt8($0) }
    #expect(try far.write(every.span) == 256)
    #expect(try near.readAll() == every)
    #expect(try near.write(every.span) == 256)
    #expect(try far.readAll() == every)
  }

  @Test("A file that is not a serial line is refused")
  func notATerminal() {
    #expect(throws: SystemError(.notATerminal, "configure", "/dev/null")) {
      _ = try SerialPort.open("/dev/null", speed: 115_200)
    }
  }

  @Test("A missing line is an error")
  func missing() {
    #expect(throws: SystemError(.noSuchFile, "open", "/dev/no-such-line")) {
      _ = try SerialPort.open("/dev/no-such-line", speed: 115_200)
    }
  }

  @Test("An unknown speed is refused by its number")
  func speed() {
    let error = #expect(throws: SystemError.self) {
      _ = try SerialPort.open("/dev/null", speed: 12_345)
    }
    #expect(error?.description == "cannot open /dev/null: 12345 is not a speed of a serial line")
  }
}

@Suite("System errors")
struct SystemErrorTests {
  @Test("They have the operation, its subject and the reason")
  func description() {
    #expect(
      SystemError(.connectionRefused, "connect to", "/run/air.sock").description
        == "cannot connect to /run/air.sock: Connection refused")
  }
}
