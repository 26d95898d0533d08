import BluetoothHost
import Expectations
import Glibc
import Linux
import LinuxTestSupport

@testable import LinuxRadio

@Suite("A watched directory")
struct DirectoryWatchTests {
  private let past = Instant(rawValue: 0)
  private let bench: Bench

  init() throws { bench = try Bench() }

  @Test("Adding, renaming, removing a name and changing its permissions are each reported once")
  func changes() throws {
    expect(try !bench.hasChanged())
    try bench.make("gpiochip0")
    expect(try bench.hasChanged())
    expect(try !bench.hasChanged())
    try #require(unsafe chmod(bench.path("gpiochip0"), 0o660) == 0)
    expect(try bench.hasChanged())
    try #require(unsafe rename(bench.path("gpiochip0"), bench.path("gpiochip1")) == 0)
    expect(try bench.hasChanged())
    try #require(unsafe rename(bench.path("gpiochip1"), bench.path("other")) == 0)
    expect(try bench.hasChanged())
    try #require(unsafe symlink("other", bench.path("gpiochip4")) == 0)
    expect(try bench.hasChanged())
    try #require(unsafe unlink(bench.path("gpiochip4")) == 0)
    expect(try bench.hasChanged())
    expect(try !bench.hasChanged())
  }

  @Test("Several changes in one turn are reported once")
  func several() throws {
    try bench.make("gpiochip0")
    try #require(unsafe unlink(bench.path("gpiochip0")) == 0)
    try bench.make("gpiochip1")
    expect(try bench.hasChanged())
    expect(try !bench.hasChanged())
  }

  @Test("Other names, reads and writes are not reported")
  func others() throws {
    try bench.make("gpiochip0")
    expect(try bench.hasChanged())
    for name in ["gpio", "gpiochi", "a-gpiochip0", "GPIOCHIP0", "tty0"] { try bench.make(name) }
    let file = try Files.create(bench.path("gpio"))
    _ = try file.write([1, 2, 3].span)
    expect(try !bench.hasChanged())
    // Opening, reading and writing do not wake the loop.
    let number = unsafe open(bench.path("gpiochip0"), O_RDWR | O_CLOEXEC)
    try #require(number >= 0)
    do {
      let chip = FileDescriptor(owning: number, name: "chip")
      _ = try chip.write([1].span)
      _ = try chip.readAll()
    }
    expect(try !bench.loop.wait(until: past))
  }

  @Test("An overflow of the kernel's queue counts as a change")
  func overflow() throws {
    let text = try Files.text(of: "/proc/sys/fs/inotify/max_queued_events")
    let capacity = try #require(Int(text.filter(\.isNumber)))
    // The default limit is 16,384. Two names in turn, since equal events are merged.
    try #require(capacity <= 1_000_000, "This kernel keeps too many for a test.")
    try bench.make("other")
    let modes: [mode_t] = [0o600, 0o640]
    try bench.make("another")
    for index in 0...(capacity / 2) {
      _ = unsafe chmod(bench.path("other"), modes[index % 2])
      _ = unsafe chmod(bench.path("another"), modes[index % 2])
    }
    expect(try bench.hasChanged())
    // It has recovered.
    expect(try !bench.hasChanged())
    try bench.make("gpiochip0")
    expect(try bench.hasChanged())
  }

  @Test("A stopped watch reports nothing and does not wake the loop")
  func stop() throws {
    try bench.make("gpiochip0")
    bench.watch.stop()
    try bench.make("gpiochip1")
    expect(try !bench.loop.wait(until: past))
    expect(!bench.watch.takeChange())
  }

  @Test("A removed directory ends the reports, and does no harm")
  func directoryGone() throws {
    bench.directory.remove()
    _ = try bench.hasChanged()
    expect(try !bench.loop.wait(until: past))
  }

  @Test("A missing path, or a file, is refused")
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

  @Test("Truncated records never match a name that they do not have")
  func records() {
    // Watch 1, IN_CREATE, cookie 0, 16 bytes of name.
    let other = record(mask: UInt32(IN_CREATE), name: "tty0")
    let chip = record(mask: UInt32(IN_DELETE), name: "gpiochip0")
    let overflow = record(watch: -1, mask: UInt32(IN_Q_OVERFLOW), name: nil)
    expect(!isChange([]))
    expect(!isChange(other))
    expect(!isChange(record(mask: UInt32(IN_CREATE), name: "gpio")))
    expect(!isChange(record(mask: UInt32(IN_ATTRIB), name: nil)))
    expect(isChange(chip))
    expect(isChange(overflow))
    expect(isChange(other + other + chip))
    expect(isChange(other + overflow))
    let both = other + chip
    for length in 0...both.count {
      expect(isChange(Array(both.prefix(length))), is: length == both.count, "\(length)")
    }
    // A length beyond the end of the records.
    var liar = other
    liar.replaceSubrange(12..<16, with: [0xFF, 0xFF, 0xFF, 0xFF])
    expect(!isChange(liar))
  }

  private func isChange(_ records: [UInt8]) -> Bool {
    DirectoryChanges.isChange(records.span, namesFrom: Array("gpiochip".utf8).span)
  }

  /// As the kernel writes it: inotify(7). The name is padded with zeros to 16 bytes.
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

/// A directory, and a loop that watches its chips.
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

  /// Whether the loop has reported a change by now.
  func hasChanged() throws -> Bool {
    var hasChanged = false
    while try loop.wait(until: Instant(rawValue: 0)) {
      hasChanged = watch.takeChange() || hasChanged
    }
    return hasChanged
  }
}
