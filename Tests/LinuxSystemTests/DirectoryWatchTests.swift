import BluetoothHost
import Glibc
import Testing

@testable import LinuxSystem

@Suite("A watched directory")
struct DirectoryWatchTests {
  private let past = Instant(rawValue: 0)

  @Test("A name that comes, changes its permissions, is renamed or goes is told, once each")
  func changes() throws {
    let bench = try Bench()
    #expect(try !bench.isTold())
    try bench.make("gpiochip0")
    #expect(try bench.isTold())
    #expect(try !bench.isTold())
    try #require(unsafe chmod(bench.path("gpiochip0"), 0o660) == 0)
    #expect(try bench.isTold())
    try #require(unsafe rename(bench.path("gpiochip0"), bench.path("gpiochip1")) == 0)
    #expect(try bench.isTold())
    try #require(unsafe rename(bench.path("gpiochip1"), bench.path("other")) == 0)
    #expect(try bench.isTold())
    try #require(unsafe symlink("other", bench.path("gpiochip4")) == 0)
    #expect(try bench.isTold())
    try #require(unsafe unlink(bench.path("gpiochip4")) == 0)
    #expect(try bench.isTold())
    #expect(try !bench.isTold())
  }

  @Test("Several changes in one turn are told as one")
  func several() throws {
    let bench = try Bench()
    try bench.make("gpiochip0")
    try #require(unsafe unlink(bench.path("gpiochip0")) == 0)
    try bench.make("gpiochip1")
    #expect(try bench.isTold())
    #expect(try !bench.isTold())
  }

  @Test("Other names, and what is read or written, are not told")
  func others() throws {
    let bench = try Bench()
    try bench.make("gpiochip0")
    #expect(try bench.isTold())
    for name in ["gpio", "gpiochi", "a-gpiochip0", "GPIOCHIP0", "tty0"] { try bench.make(name) }
    let file = try Files.create(bench.path("gpio"))
    _ = try file.write([1, 2, 3].span)
    #expect(try !bench.isTold())
    // Nobody is woken by who uses a name: neither by opening nor by reading nor by writing.
    let number = unsafe open(bench.path("gpiochip0"), O_RDWR | O_CLOEXEC)
    try #require(number >= 0)
    do {
      let chip = FileDescriptor(owning: number, name: "chip")
      _ = try chip.write([1].span)
      _ = try chip.readAll()
    }
    #expect(try !bench.loop.wait(until: past))
  }

  @Test("When more happens than the kernel keeps, something has changed, whatever it was")
  func overflow() throws {
    let bench = try Bench()
    let text = try Files.text(of: "/proc/sys/fs/inotify/max_queued_events")
    let capacity = try #require(Int(text.filter(\.isNumber)))
    // 16,384 unless somebody has set another. Two turns about, for the same twice is kept as one.
    try #require(capacity <= 1_000_000, "This kernel keeps too many for a test.")
    try bench.make("other")
    let modes: [mode_t] = [0o600, 0o640]
    try bench.make("another")
    for index in 0...(capacity / 2) {
      _ = unsafe chmod(bench.path("other"), modes[index % 2])
      _ = unsafe chmod(bench.path("another"), modes[index % 2])
    }
    #expect(try bench.isTold())
    // It has recovered.
    #expect(try !bench.isTold())
    try bench.make("gpiochip0")
    #expect(try bench.isTold())
  }

  @Test("Once stopped it tells nothing and wakes nobody")
  func stop() throws {
    let bench = try Bench()
    try bench.make("gpiochip0")
    bench.watch.stop()
    try bench.make("gpiochip1")
    #expect(try !bench.loop.wait(until: past))
    #expect(!bench.watch.takeChange())
  }

  @Test("A directory that is gone is no longer told of, and disturbs nobody")
  func directoryGone() throws {
    let bench = try Bench()
    bench.directory.remove()
    _ = try bench.isTold()
    #expect(try !bench.loop.wait(until: past))
  }

  @Test("What cannot be watched: why")
  func refusal() throws {
    let loop = try EventLoop()
    let directory = try TemporaryDirectory()
    let missing = directory.path + "/missing"
    #expect(throws: SystemError(.noSuchFile, "watch", missing)) {
      try DirectoryWatch(missing, namesFrom: "gpiochip", loop: loop)
    }
    _ = try Files.create(directory.path + "/file")
    #expect(throws: SystemError.self) {
      try DirectoryWatch(directory.path + "/file", namesFrom: "gpiochip", loop: loop)
    }
  }

  @Test("Records cut at any length are no name that they do not say")
  func records() {
    // Watch 1, IN_CREATE, cookie 0, 16 bytes of name.
    let other = record(mask: UInt32(IN_CREATE), name: "tty0")
    let chip = record(mask: UInt32(IN_DELETE), name: "gpiochip0")
    let overflow = record(watch: -1, mask: UInt32(IN_Q_OVERFLOW), name: nil)
    #expect(!isChange([]))
    #expect(!isChange(other))
    #expect(isChange(chip))
    #expect(isChange(overflow))
    #expect(isChange(other + other + chip))
    #expect(isChange(other + overflow))
    // 32 bytes of the first record, 16 of the second's header, 8 of “gpiochip”.
    let both = other + chip
    for length in 0...both.count {
      #expect(isChange(Array(both.prefix(length))) == (length >= 32 + 16 + 8), "\(length)")
    }
    // A length that is longer than what is there.
    var liar = other
    liar.replaceSubrange(12..<16, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(!isChange(liar))
  }

  private func isChange(_ records: [UInt8]) -> Bool {
    DirectoryWatch.isChange(records.span, prefix: Array("gpiochip".utf8).span)
  }

  /// As the kernel writes it: inotify(7). The name is filled up with zeros to 16 bytes.
  private func record(watch: Int32 = 1, mask: UInt32, name: String?) -> [UInt8] {
    let text = name.map { Array($0.utf8) } ?? []
    let padded = name == nil ? [] : text + [UInt8](repeating: 0, count: 16 - text.count)
    var header: [UInt8] = []
    for field in [UInt32(bitPattern: watch), mask, 0, UInt32(padded.count)] {
      unsafe withUnsafeBytes(of: field) { unsafe header.append(contentsOf: $0) }
    }
    return header + padded
  }
}

/// A directory, and a loop that is told of its chips.
private final class Bench {
  let directory: TemporaryDirectory
  let loop: EventLoop
  let watch: DirectoryWatch

  init() throws {
    directory = try TemporaryDirectory()
    loop = try EventLoop()
    watch = try DirectoryWatch(directory.path, namesFrom: "gpiochip", loop: loop)
  }

  func path(_ name: String) -> String { directory.path + "/" + name }

  func make(_ name: String) throws { _ = try Files.create(path(name)) }

  /// Whether there was a change in all that the loop has been told by now.
  func isTold() throws -> Bool {
    var isTold = false
    while try loop.wait(until: Instant(rawValue: 0)) {
      isTold = watch.takeChange() || isTold
    }
    return isTold
  }
}
