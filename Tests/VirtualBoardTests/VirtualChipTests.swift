import Expectations
import Glibc
import VirtualBoard

@Suite("The virtual chip")
struct VirtualChipTests {
  private let chip = VirtualChip(label: "test-chip", lineNames: ["A", "B", nil, "D"])

  private func button(_ offset: Int, debounce: UInt64 = 0) -> LineSettings {
    LineSettings(
      offset: offset, direction: .input, isActiveLow: true, bias: .pullUp, debounce: debounce)
  }

  @Test("It has its lines' names and users")
  func info() throws {
    expect(chip.lineCount, is: 4)
    expect(chip.offset(ofLine: "D"), is: 3)
    expect(chip.offset(ofLine: "C"), is: nil)
    let lines = try chip.request([button(1)], consumer: "me")
    expect(
      try chip.info(of: 1),
      is: LineInfo(name: "B", consumer: "me", isOutput: false, isActiveLow: true, bias: .pullUp))
    expect(try chip.info(of: 2).consumer, is: nil)
    #expect(throws: GPIOError.noSuchLine) { try chip.info(of: 4) }
    lines.release()
    expect(try chip.info(of: 1).consumer, is: nil)
  }

  @Test("An edge has its line, polarity, time and sequence numbers")
  func edges() throws {
    let lines = try chip.request([button(0), button(3)], consumer: "me")
    chip.advance(to: 1_000)
    chip.drive(0, .low)
    chip.advance(to: 2_000)
    chip.drive(3, .low)
    chip.drive(3, .low)
    chip.advance(to: 3_000)
    chip.drive(0, .nothing)
    expect(
      try events(of: lines),
      is: [
        EdgeEvent(offset: 0, isActive: true, time: 1_000, sequence: 1, lineSequence: 1),
        EdgeEvent(offset: 3, isActive: true, time: 2_000, sequence: 2, lineSequence: 1),
        EdgeEvent(offset: 0, isActive: false, time: 3_000, sequence: 3, lineSequence: 2),
      ])
  }

  @Test(
    "A line has the level that drives it, or else that of its resistor",
    arguments: [
      // What drives it, its resistor, whether it is active low, and whether it is active.
      (.high, .pullDown, false, true), (.low, .pullUp, false, false),
      (.nothing, .pullUp, false, true), (.nothing, .pullDown, false, false),
      (.nothing, .pullUp, true, false), (.low, .pullUp, true, true),
      (.nothing, .none, false, false),
    ] as [(VirtualChip.Drive, LineSettings.Bias, Bool, Bool)])
  func levels(drive: VirtualChip.Drive, bias: LineSettings.Bias, isLow: Bool, isActive: Bool) throws
  {
    chip.drive(0, drive)
    let lines = try chip.request(
      [LineSettings(offset: 0, direction: .input, isActiveLow: isLow, bias: bias)], consumer: "me")
    expect(try lines.isActive(0), is: isActive)
    expect(try lines.nextEvent(), is: nil)
  }

  @Test("An output keeps the level that was set, whatever drives it, also after its release")
  func outputs() throws {
    let lines = try chip.request(
      [
        LineSettings(offset: 0, direction: .output(isActive: false)),
        LineSettings(offset: 1, direction: .output(isActive: true), isActiveLow: true),
      ], consumer: "me")
    expect(chip.isHigh(0), is: false)
    expect(chip.isHigh(1), is: false)
    try lines.set(0, isActive: true)
    try lines.set(1, isActive: false)
    chip.drive(0, .low)
    expect(chip.isHigh(0), is: true)
    expect(chip.isHigh(1), is: true)
    expect(try lines.isActive(0))
    expect(try lines.nextEvent(), is: nil)
    lines.release()
    expect(chip.isHigh(0), is: true)
    expect(chip.isHigh(4), is: nil)
  }

  @Test("A line has one user; a request gets all lines, or none")
  func busy() throws {
    let first = try chip.request([button(0)], consumer: "first")
    #expect(throws: GPIOError.busy) {
      try chip.request([button(1), button(0)], consumer: "second")
    }
    expect(try chip.info(of: 1).consumer, is: nil)
    #expect(throws: GPIOError.noSuchLine) { try chip.request([button(4)], consumer: "second") }
    #expect(throws: GPIOError.noSuchLine) {
      try chip.request([button(1), button(1)], consumer: "second")
    }
    #expect(throws: GPIOError.noSuchLine) { try chip.request([], consumer: "second") }
    first.release()
    #expect(throws: GPIOError.noSuchLine) { try first.nextEvent() }
    _ = try chip.request([button(0)], consumer: "second")
    // The line above released the second request, and its line is free.
    _ = try chip.request([button(0)], consumer: "third")
  }

  @Test("An input or another request's line cannot be set")
  func refusals() throws {
    let lines = try chip.request([button(0)], consumer: "me")
    #expect(throws: GPIOError.notAnOutput) { try lines.set(0, isActive: true) }
    #expect(throws: GPIOError.noSuchLine) { try lines.set(1, isActive: true) }
    #expect(throws: GPIOError.noSuchLine) { try lines.isActive(1) }
  }

  @Test("With debouncing, a level is reported after it has lasted")
  func debounce() throws {
    let lines = try chip.request([button(0, debounce: 10_000)], consumer: "me")
    for time: UInt64 in [1_000, 3_000, 5_000] {
      chip.advance(to: time)
      chip.drive(0, .low)
      chip.drive(0, .nothing)
    }
    chip.drive(0, .low)
    expect(chip.deadline, is: 15_000)
    chip.advance(to: 14_999)
    expect(try lines.nextEvent(), is: nil)
    expect(try !lines.isActive(0))
    chip.advance(to: 20_000)
    expect(
      try events(of: lines),
      is: [
        EdgeEvent(offset: 0, isActive: true, time: 15_000, sequence: 1, lineSequence: 1)
      ])
    expect(try lines.isActive(0))
    // A spike that is shorter than the debounce time does not count.
    chip.drive(0, .nothing)
    chip.advance(to: 25_000)
    chip.drive(0, .low)
    chip.advance(to: 90_000)
    expect(try lines.nextEvent(), is: nil)
    expect(chip.deadline, is: nil)
  }

  @Test("A full queue drops its oldest edges, which the sequence numbers show")
  func overflow() throws {
    let lines = try chip.request([button(0)], consumer: "me")
    for index in 0..<20 { chip.drive(0, index % 2 == 0 ? .low : .nothing) }
    // 16 of 20 are kept: 5 to 20.
    expect(try events(of: lines).map(\.sequence), is: Array(5...20))
    let few = try chip.request([button(1)], consumer: "me", eventCapacity: 2)
    for index in 0..<3 { chip.drive(1, index % 2 == 0 ? .low : .nothing) }
    expect(try events(of: few).map(\.sequence), is: [2, 3])
  }

  @Test("The descriptor is readable while there is an edge")
  func descriptor() throws {
    let lines = try chip.request([button(0)], consumer: "me")
    expect(!isReadable(lines.descriptor))
    chip.drive(0, .low)
    chip.drive(0, .nothing)
    expect(isReadable(lines.descriptor))
    _ = try lines.nextEvent()
    expect(isReadable(lines.descriptor))
    _ = try lines.nextEvent()
    expect(!isReadable(lines.descriptor))
  }

  @Test("Removing a chip ends its requests; it is restored with free lines")
  func removal() throws {
    let old = try chip.request(
      [button(0), LineSettings(offset: 1, direction: .output(isActive: true))], consumer: "me")
    chip.remove()
    expect(isReadable(old.descriptor))
    #expect(throws: GPIOError.removed) { try old.nextEvent() }
    #expect(throws: GPIOError.removed) { try old.set(1, isActive: false) }
    #expect(throws: GPIOError.removed) { try chip.request([button(0)], consumer: "me") }
    #expect(throws: GPIOError.removed) { try chip.info(of: 0) }
    expect(chip.isHigh(1), is: false)

    chip.restore()
    #expect(throws: GPIOError.removed) { try old.nextEvent() }
    let new = try chip.request([button(0)], consumer: "me")
    old.release()
    chip.drive(0, .low)
    expect(try new.nextEvent()?.isActive, is: true)
  }

  @Test("Its errors have the kernel's error numbers")
  func codes() {
    let errors: [GPIOError] = [.noSuchLine, .busy, .removed, .notAnOutput, .tooManyFiles]
    expect(errors.map(\.code), is: [EINVAL, EBUSY, ENODEV, EPERM, EMFILE])
  }

  private func events(of lines: LineRequest) throws -> [EdgeEvent] {
    var events: [EdgeEvent] = []
    while let event = try lines.nextEvent() { events.append(event) }
    return events
  }

  private func isReadable(_ descriptor: CInt) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wait, 1, 0) == 1
  }
}
