/// A GPIO chip of software, which behaves as the kernel's do.
///
/// From the inside it is asked for lines, which then give edges and take values, as of
/// `/dev/gpiochipN`: with polarity, bias, debouncing, sequence numbers and time stamps, lines that
/// somebody has already, queues that overflow. From the outside its wires are driven high or low
/// or left alone, and looked at; and the chip is taken away and brought back.
///
///     let chip = VirtualChip(label: "pinctrl-bcm2711", lineNames: ["GPIO5", "GPIO6"])
///     let lines = try chip.request(
///       [LineSettings(offset: 0, direction: .input, isActiveLow: true, bias: .pullUp)],
///       consumer: "my program")
///     chip.drive(0, .low)                    // the button is pressed
///     let edge = try lines.nextEvent()       // becomes active, at chip.now
///
/// It has no clock: time is what `advance(to:)` says. All calls come from one thread.
public final class VirtualChip {
  /// What drives a wire from the outside.
  public enum Drive: Equatable, Sendable {
    /// It is connected to the supply.
    case high
    /// It is connected to ground, as by a button that is pressed.
    case low
    /// It is not connected.
    case nothing
  }

  /// What the chip is called: boards are told apart by it.
  public let label: String
  /// The time, in nanoseconds since some moment of the caller's choosing.
  public private(set) var now: UInt64 = 0
  /// Whether the chip is there.
  public private(set) var isPresent = true

  private var lines: [Line]

  /// A chip whose lines are all free, unconnected and low.
  ///
  /// - Parameter lineNames: What its lines are called, by their offsets; `nil` for one without a
  ///   name.
  public init(label: String, lineNames: [String?]) {
    self.label = label
    lines = lineNames.map { Line(name: $0) }
  }

  // MARK: From the inside

  /// The number of its lines.
  public var lineCount: Int { lines.count }

  /// The first line with a name; `nil` if there is none.
  public func offset(ofLine name: String) -> Int? {
    lines.firstIndex { $0.name == name }
  }

  /// What the chip tells of a line.
  ///
  /// - Throws: `noSuchLine`; `removed` if the chip is not there.
  public func info(of offset: Int) throws(GPIOError) -> LineInfo {
    guard isPresent else { throw .removed }
    guard lines.indices.contains(offset) else { throw .noSuchLine }
    let line = lines[offset]
    return LineInfo(
      name: line.name, consumer: line.owner?.consumer, isOutput: line.isOutput,
      isActiveLow: line.isActiveLow, bias: line.bias)
  }

  /// Asks for lines: all are granted, or none. Every input's edges are listened to.
  ///
  /// - Parameters:
  ///   - consumer: Who asks, to tell others.
  ///   - eventCapacity: How many edges are kept until they are read; the oldest go when there are
  ///     more. 16 a line unless given, as in the kernel.
  /// - Throws: `noSuchLine` if the chip has not all of them, or one is named twice; `busy` if
  ///   somebody has one of them; `removed` if the chip is not there.
  public func request(
    _ settings: [LineSettings], consumer: String, eventCapacity: Int? = nil
  ) throws(GPIOError) -> LineRequest {
    guard isPresent else { throw .removed }
    let offsets = settings.map(\.offset)
    guard !offsets.isEmpty, Set(offsets).count == offsets.count,
      offsets.allSatisfy({ lines.indices.contains($0) })
    else { throw .noSuchLine }
    guard offsets.allSatisfy({ lines[$0].owner == nil }) else { throw .busy }
    let request = try LineRequest(
      self, offsets: offsets, consumer: consumer, capacity: eventCapacity ?? 16 * offsets.count)
    for line in settings { lines[line.offset].configure(line, for: request) }
    return request
  }

  // MARK: From the outside

  /// Connects a wire to something, or to nothing. Nothing happens if the chip has no such line.
  ///
  /// An output keeps its own level, as a strong one would.
  public func drive(_ offset: Int, _ drive: Drive) {
    guard lines.indices.contains(offset) else { return }
    lines[offset].drive = drive
    update(offset)
  }

  /// Whether a wire is high; `nil` if the chip has no such line.
  public func isHigh(_ offset: Int) -> Bool? {
    lines.indices.contains(offset) ? lines[offset].level : nil
  }

  /// Takes the chip away: whoever has lines of it finds that out by the next call, or by the
  /// request's descriptor.
  public func remove() {
    guard isPresent else { return }
    isPresent = false
    for index in lines.indices {
      lines[index].owner?.remove()
      lines[index].owner = nil
      lines[index].settleTime = nil
      // Nothing holds the wire any more.
      lines[index].isOutput = false
      lines[index].bias = .none
      lines[index].level = lines[index].drive == .high
    }
  }

  /// Brings the chip back, with all lines free. Old requests stay without it.
  public func restore() {
    isPresent = true
  }

  // MARK: Time

  /// When `advance(to:)` next changes anything; `nil` if nothing is bouncing.
  public var deadline: UInt64? {
    var earliest: UInt64?
    for line in lines {
      guard let time = line.settleTime else { continue }
      earliest = min(earliest ?? time, time)
    }
    return earliest
  }

  /// The time is `time`: levels that have stayed for long enough count. It never goes back.
  public func advance(to time: UInt64) {
    while let next = deadline, next <= time {
      now = max(now, next)
      for offset in lines.indices where lines[offset].settleTime == next {
        lines[offset].settleTime = nil
        settle(offset)
      }
    }
    now = max(now, time)
  }

  // MARK: For requests

  func isActive(_ offset: Int) -> Bool { lines[offset].isActive }

  func set(_ offset: Int, isActive: Bool) throws(GPIOError) {
    guard lines[offset].isOutput else { throw .notAnOutput }
    lines[offset].isOutputActive = isActive
    update(offset)
  }

  func release(_ request: LineRequest) {
    for offset in request.offsets where lines[offset].owner === request {
      lines[offset].owner = nil
      lines[offset].settleTime = nil
    }
  }

  /// The wire may have another level now.
  private func update(_ offset: Int) {
    let level = lines[offset].electricalLevel
    guard level != lines[offset].level else { return }
    lines[offset].level = level
    if lines[offset].debounce == 0 || lines[offset].owner == nil {
      settle(offset)
    } else {
      // As the kernel's: each bounce begins the wait anew.
      lines[offset].settleTime = now + lines[offset].debounce
    }
  }

  /// The level of the wire counts.
  private func settle(_ offset: Int) {
    guard lines[offset].settledLevel != lines[offset].level else { return }
    lines[offset].settledLevel = lines[offset].level
    guard !lines[offset].isOutput else { return }
    lines[offset].owner?.note(offset, isActive: lines[offset].isActive, at: now)
  }
}
