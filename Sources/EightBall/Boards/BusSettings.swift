import BluetoothHost

/// What is known of a part on an I2C bus: all of it for a board's part, and less while settings are
/// read.
struct BusSettings: Equatable, Sendable {
  /// Its model; `nil` if the board has no such part, or its settings have not given it yet.
  var model: PartModel?
  /// The number of its bus.
  var bus: UInt8?
  /// Its address; `nil` for the model's usual one.
  var address: UInt8?
  /// The threshold of a motion sensor, in mg.
  var threshold = MotionDescription.usualThreshold

  /// The settings of a whole part; none for `nil`.
  init(_ part: BusPart? = nil) {
    model = part?.model
    bus = part?.bus
    address = part?.address
  }

  /// Sets a field of `part`; `false`, and nothing changes, if it does not take `value`.
  @inline(never)
  mutating func set(_ field: BoardField, _ value: Span<UInt8>, of part: BoardPart) -> Bool {
    switch field {
    case .motionPart, .displayPart:
      guard let model = PartModel(value, of: part) else { return false }
      // The usual address of the old model is not that of the new one.
      if address == self.model?.usualAddress { address = nil }
      self.model = model
    case .bus:
      guard let bus = BoardField.readBus(value) else { return false }
      self.bus = bus
    case .address:
      guard let address = BoardField.readAddress(value) else { return false }
      self.address = address
    case .threshold:
      guard let threshold = BoardField.readThreshold(value) else { return false }
      self.threshold = threshold
    default: return false
    }
    return true
  }

  /// Gives `part` its usual address if it has none. Returns what else is missing.
  @inline(never)
  mutating func complete(_ part: BoardPart) -> BoardSettingError? {
    guard let model else { return .noModel(part) }
    guard bus != nil else { return .noBus(part) }
    if address == nil { address = model.usualAddress }
    return nil
  }
}

extension BusPart {
  /// The part with these settings; `nil` if some are missing.
  init?(_ settings: BusSettings) {
    guard let model = settings.model, let bus = settings.bus, let address = settings.address else {
      return nil
    }
    self.init(model, bus: bus, address: address)
  }
}
