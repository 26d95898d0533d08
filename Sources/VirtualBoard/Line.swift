/// One line of a chip: its wire, and what the kernel does with it.
struct Line {
  let name: String?
  /// What is connected to it outside.
  var drive = VirtualChip.Drive.nothing
  /// The level of its wire.
  var level = false
  var isOutput = false
  /// What an output was told to be.
  var isOutputActive = false
  var isActiveLow = false
  var bias = LineSettings.Bias.none
  /// The request that has it. It is free once that has gone.
  weak var owner: LineRequest?

  var debounce: UInt64 = 0
  /// The level that counts: without bounces.
  var settledLevel = false
  /// When the level counts, if it stays; `nil` if it does.
  var settleTime: UInt64?

  init(name: String?) {
    self.name = name
  }

  /// The level that the wire has: an output's own, or what drives it from outside, or what the
  /// resistor pulls it to.
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

  /// Takes on new settings; the level is found as it is then, without an edge.
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
