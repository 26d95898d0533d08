import BluetoothHost
import EightBall
import Expectations
import Foundation
import VirtualBoard

/// A driver with its display on a virtual bus, and a clock that goes from deadline to deadline.
struct DisplayRig<Panel: DisplayPanel> {
  var driver: DisplayDriver<Panel>
  var bus = VirtualI2CBus()
  /// In milliseconds.
  private(set) var now: UInt64 = 0
  /// What the driver has reported, with its times.
  private(set) var events: [Report] = []
  /// How many calls of `advance` there were.
  private(set) var wakeUps = 0
  /// The most bytes that crossed the bus in one call.
  private(set) var longestCall = 0

  struct Report: Equatable {
    var time: UInt64
    var event: PartEvent
  }

  init(_ panel: Panel, _ device: any VirtualI2CDevice) {
    driver = DisplayDriver(panel)
    address = panel.address
    self.device = device
    bus.attach(device, at: address)
  }

  private let address: UInt8
  private let device: any VirtualI2CDevice

  mutating func show(_ screen: BallScreen) { driver.show(screen, at: Instant(rawValue: now)) }

  mutating func wake() { driver.wake(at: Instant(rawValue: now)) }

  func unplug() { bus.detach(address) }

  func plugIn() { bus.attach(device, at: address) }

  /// One call at the next deadline, if that is at most `end`.
  mutating func step(until end: UInt64 = .max) -> Bool {
    guard let deadline = driver.deadline, deadline.rawValue <= end else { return false }
    now = max(now, deadline.rawValue)
    (device as? VirtualPCF8574)?.advance(to: Instant(rawValue: now))
    let before = bus.byteCount
    driver.advance(to: Instant(rawValue: now), on: &bus)
    longestCall = max(longestCall, bus.byteCount - before)
    wakeUps += 1
    if let event = driver.takeEvent() { events.append(Report(time: now, event: event)) }
    return true
  }

  /// All calls until `end`, in milliseconds.
  mutating func run(until end: UInt64) {
    var calls = 0
    while step(until: end) {
      calls += 1
      guard calls < 5_000 else {
        expect(false, "The driver does not come to rest.")
        return
      }
    }
    now = max(now, end)
  }

  /// All calls of the next `time` milliseconds. Returns how many bytes crossed the bus.
  @discardableResult
  mutating func run(for time: UInt64 = 1_000) -> Int {
    let before = bus.byteCount
    run(until: now + time)
    return bus.byteCount - before
  }
}

/// The screens that tests compare, by the names of their pictures.
enum TestScreens {
  static var all: [(name: String, screen: BallScreen)] {
    states + answers
      + names.map { (name: "name-" + $0.key, screen: .advertising(name($0.value))) }
      .sorted { $0.name < $1.name }
  }

  static var states: [(name: String, screen: BallScreen)] {
    [
      ("starting", .starting), ("advertising", .advertising(name("Magic 8-Ball"))),
      ("connected", .connected), ("fault", .fault), ("off", .off), ("pairing", .pairing),
      ("refusal", .refusal),
    ]
  }

  static var answers: [(name: String, screen: BallScreen)] {
    (0..<Answer.count).compactMap { number in
      Answer(rawValue: number).map {
        (name: "answer-\(number < 10 ? "0" : "")\(number)", screen: .answer($0))
      }
    }
  }

  private static let names = [
    "words": "The Smiths’ Magic Ball", "long": "Wohnzimmermagischekugel",
    "cyrillic": "Шар судьбы", "chinese": "魔法八号球", "hebrew": "כַּדּוּר 8", "emoji": "🎱 👩🏽‍🔬 8️⃣",
    "most": "a b c d e f g h i j k l m n o",
  ]

  static func name(_ text: String) -> DeviceName {
    DeviceName(prefixOf: Array(text.utf8).span) ?? DeviceName(StaticText("?"))
  }
}

/// The files with what displays have to show. With EIGHTBALL_KEEP_PICTURES=1 the tests write them.
enum ExpectedPicture {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Screens")

  /// Whether the file of this name has this text.
  static func isEqual(_ text: String, _ name: String) throws -> Bool {
    let file = folder.appending(path: "\(name).txt")
    if ProcessInfo.processInfo.environment["EIGHTBALL_KEEP_PICTURES"] != nil {
      try "\(text)\n".write(to: file, atomically: true, encoding: .utf8)
    }
    return try String(contentsOf: file, encoding: .utf8) == "\(text)\n"
  }
}
