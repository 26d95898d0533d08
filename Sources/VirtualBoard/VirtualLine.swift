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
