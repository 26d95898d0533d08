/// A virtual GPIO chip, which behaves as the kernel's chips.
///
/// A program requests lines, reads their edges and sets their values, as with `/dev/gpiochipN`:
/// with polarity, bias, debouncing, sequence numbers, time stamps, busy lines and queues that
/// overflow. A test drives the wires high or low or leaves them unconnected, reads them, and
/// removes and restores the chip.
///
///     let chip = VirtualChip(label: "pinctrl-bcm2711", lineNames: ["GPIO5", "GPIO6"])
///     let lines = try chip.request(
///       [LineSettings(offset: 0, direction: .input, isActiveLow: true, bias: .pullUp)],
///       consumer: "my program")
///     chip.drive(0, .low)                    // presses the button
///     let edge = try lines.nextEvent()       // becomes active, at chip.now
///
/// It has no clock: `advance(to:)` sets the time. All calls come from one thread.
public final class VirtualChip {
  /// What drives a wire from the outside.
  public enum Drive: Equatable, Sendable {
    /// It is connected to the supply.
    case high
    /// It is connected to ground, as by a pressed button.
    case low
    /// It is not connected.
    case nothing
  }

  /// The chip's label, which identifies it.
  public let label: String
  /// The time, in nanoseconds since a moment that the caller chooses.
  public private(set) var now: UInt64 = 0
  /// Whether the chip is present, and not removed.
  public private(set) var isPresent = true

  private var lines: [VirtualLine]

  /// A chip on which all lines are free, unconnected and low.
  ///
  /// - Parameter label: The label of the chip.
  /// - Parameter lineNames: The names of its lines, by their offsets; `nil` for a line without a
  ///   name.
  public init(label: String, lineNames: [String?]) {
    self.label = label
    lines = lineNames.map { VirtualLine(name: $0) }
  }

  // MARK: For the program

  /// The number of its lines.
  public var lineCount: Int { lines.count }

  /// The offset of the first line with this name; `nil` without one.
  public func offset(ofLine name: String) -> Int? {
    lines.firstIndex { $0.name == name }
  }

  /// Information about a line.
  ///
  /// - Throws: `noSuchLine`; `removed` if the chip was removed.
  public func info(of offset: Int) throws(GPIOError) -> LineInfo {
    guard isPresent else { throw .removed }
    guard lines.indices.contains(offset) else { throw .noSuchLine }
    let line = lines[offset]
    return LineInfo(
      name: line.name, consumer: line.owner?.consumer, isOutput: line.isOutput,
      isActiveLow: line.isActiveLow, bias: line.bias)
  }

  /// Requests lines: all, or none. Every input reports its edges.
  ///
  /// - Parameters:
  ///   - settings: The lines, each with its settings.
  ///   - consumer: The name of the user, for `info(of:)`.
  ///   - eventCapacity: How many edges are kept until they are read; the oldest are dropped.
  ///     Default: 16 for each line, as in the kernel.
  /// - Throws: `noSuchLine` if the chip lacks one of them, or one is named twice; `busy` if one is
  ///   in use; `removed` if the chip was removed.
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

  // MARK: For the test

  /// Connects or disconnects a wire. Does nothing if the chip has no such line.
  ///
  /// An output keeps its level, as a strong one does.
  public func drive(_ offset: Int, _ drive: Drive) {
    guard lines.indices.contains(offset) else { return }
    lines[offset].drive = drive
    update(offset)
  }

  /// Whether a wire is high; `nil` if the chip has no such line.
  public func isHigh(_ offset: Int) -> Bool? {
    lines.indices.contains(offset) ? lines[offset].level : nil
  }

  /// Removes the chip: the users of its lines see it at their next call, or by the request's
  /// descriptor.
  public func remove() {
    guard isPresent else { return }
    isPresent = false
    for index in lines.indices {
      lines[index].owner?.remove()
      lines[index].owner = nil
      lines[index].settleTime = nil
      // The chip no longer drives or pulls the wire.
      lines[index].isOutput = false
      lines[index].bias = .none
      lines[index].level = lines[index].drive == .high
    }
  }

  /// Restores the chip, with all lines free. Old requests stay removed.
  public func restore() {
    isPresent = true
  }

  // MARK: Time

  /// When `advance(to:)` next changes a line; `nil` if no line is being debounced.
  public var deadline: UInt64? {
    var earliest: UInt64?
    // By index: a copy of a line would count its weak owner.
    for index in lines.indices {
      guard let time = lines[index].settleTime else { continue }
      earliest = min(earliest ?? time, time)
    }
    return earliest
  }

  /// Sets the time: levels that have lasted long enough count. Time never goes back.
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

  /// Updates the level of a wire.
  private func update(_ offset: Int) {
    let level = lines[offset].electricalLevel
    guard level != lines[offset].level else { return }
    lines[offset].level = level
    if lines[offset].debounce == 0 || lines[offset].owner == nil {
      settle(offset)
    } else {
      // As in the kernel, each bounce restarts the wait.
      lines[offset].settleTime = now + lines[offset].debounce
    }
  }

  /// Makes the level of the wire the one that counts.
  private func settle(_ offset: Int) {
    guard lines[offset].settledLevel != lines[offset].level else { return }
    lines[offset].settledLevel = lines[offset].level
    guard !lines[offset].isOutput else { return }
    lines[offset].owner?.note(offset, isActive: lines[offset].isActive, at: now)
  }
}

/// One line of a chip: its wire, and its state in the kernel.
struct VirtualLine {
  let name: String?
  /// What drives its wire from the outside.
  var drive = VirtualChip.Drive.nothing
  /// The level of its wire.
  var level = false
  var isOutput = false
  /// The value that was set for an output.
  var isOutputActive = false
  var isActiveLow = false
  var bias = LineSettings.Bias.none
  /// The request that has it; `nil` if the line is free.
  weak var owner: LineRequest?

  var debounce: UInt64 = 0
  /// The debounced level, which counts.
  var settledLevel = false
  /// When the level counts if it lasts; `nil` if it already counts.
  var settleTime: UInt64?

  init(name: String?) {
    self.name = name
  }

  /// The level of the wire: set by the output, or driven from outside, or pulled by the resistor.
  var electricalLevel: Bool {
    if isOutput { return isOutputActive != isActiveLow }
    switch drive {
    case .high: return true
    case .low: return false
    case .nothing:
      switch bias {
      case .pullUp: return true
      case .pullDown: return false
      case .none: return level
      }
    }
  }

  /// Whether the level that counts is the active one.
  var isActive: Bool { settledLevel != isActiveLow }

  /// Applies new settings. Takes the current level without an edge.
  mutating func configure(_ settings: LineSettings, for owner: LineRequest) {
    self.owner = owner
    isActiveLow = settings.isActiveLow
    bias = settings.bias
    if case .output(let isActive) = settings.direction {
      isOutput = true
      isOutputActive = isActive
      debounce = 0
    } else {
      isOutput = false
      debounce = settings.debounce
    }
    level = electricalLevel
    settledLevel = level
    settleTime = nil
  }
}
