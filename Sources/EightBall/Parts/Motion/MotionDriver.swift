import BluetoothHost

/// Runs a motion sensor, and finds shakes in what it measures, on injected time.
///
/// While the ball lies still the sensor watches alone: the driver has no deadline, and the bus is
/// quiet. The edge of the sensor's line, reported by `interrupt(at:)`, starts it; it then samples
/// each 20 ms until the ball was calm for 1 s. A sensor that fails is set up again each 10 s.
///
/// A sensor that is never calm, as on a machine that runs, or with a broken line, is sampled for
/// 60 s. It then has a pause of 10 s.
public struct MotionDriver<Sensor: MotionSensor> {
  /// The time between two samples of a moving ball, in milliseconds.
  public static var samplePeriod: UInt32 { 20 }
  /// How long the ball is calm before the driver rests, in milliseconds.
  public static var calmTime: UInt32 { 1_000 }
  /// The longest time of sampling without a rest, in milliseconds.
  public static var longestMotion: UInt32 { 60_000 }
  /// The time until a sensor that failed, or was never calm, is set up again, in milliseconds.
  public static var retryTime: UInt32 { 10_000 }

  private enum State {
    /// It is set up at the deadline.
    case stopped
    /// It waits for an interrupt.
    case resting
    /// It samples at the deadline.
    case moving
  }

  private let sensor: Sensor
  private let threshold: UInt16
  private var pattern: ShakePattern
  private var state = State.stopped
  /// When the ball moved last.
  private var lastMotion: Instant
  /// When the present time of motion began.
  private var motionStart: Instant
  /// The latest event that waits for `takeEvent`.
  private var event: PartEvent?
  /// Whether the last event was `found`; `nil` before the first one.
  private var isFound: Bool?
  private var isShakePending = false

  /// When `advance(to:on:)` must be called next; `nil` while the ball is at rest.
  public private(set) var deadline: Instant?

  /// A driver that sets up its sensor as soon as it is advanced.
  ///
  /// - Parameters:
  ///   - sensor: The sensor. Half the threshold wakes it.
  ///   - threshold: The acceleration without gravity that counts as a stroke of a shake, in mg.
  ///   - now: The present time.
  public init(
    sensor: Sensor, threshold: UInt16 = ShakePattern.usualThreshold, at now: Instant
  ) {
    self.sensor = sensor
    self.threshold = threshold
    pattern = ShakePattern(threshold: threshold)
    lastMotion = now
    motionStart = now
    deadline = now
  }

  /// The sensor's line has gone high. Does not use the bus: the first sample is due at once.
  ///
  /// An edge that comes while the ball moves, or while the sensor does not work, changes nothing.
  public mutating func interrupt(at now: Instant) {
    guard state == .resting else { return }
    // A rest that was cut short, as by a line that flutters, belongs to the motion before it.
    begin(.moving, at: now, isNew: lastMotion.advanced(by: 2 * Self.calmTime) < now)
  }

  /// Takes a shake that has been recognised; several count as one.
  public mutating func takeShake() -> Bool {
    defer { isShakePending = false }
    return isShakePending
  }

  /// Takes the latest event: `lost` once when the sensor stops working or is not there at the
  /// start, `found` once when it works, at its first rest.
  public mutating func takeEvent() -> PartEvent? {
    defer { event = nil }
    return event
  }

  /// Does what is due by `now`. Uses the bus only then.
  public mutating func advance<Bus: I2CBus & ~Copyable>(to now: Instant, on bus: inout Bus) {
    guard let deadline, deadline <= now else { return }
    do throws(PartError) {
      if state == .moving {
        try sample(at: now, on: &bus)
      } else {
        try sensor.start(on: &bus, threshold: threshold / 2)
        // The first second shows where gravity points.
        begin(.moving, at: now, isNew: true)
      }
    } catch { stop(error, at: now) }
  }

  /// Checks a sensor at rest, which could have lost its supply without a sign, and takes up a
  /// motion whose edge was missed. For a port that is awake anyway, as when a central connects.
  public mutating func check<Bus: I2CBus & ~Copyable>(at now: Instant, on bus: inout Bus) {
    guard state == .resting else { return }
    do throws(PartError) {
      if try sensor.arm(on: &bus) { interrupt(at: now) }
    } catch { stop(error, at: now) }
  }

  private mutating func sample<Bus: I2CBus & ~Copyable>(
    at now: Instant, on bus: inout Bus
  ) throws(PartError) {
    let movement = pattern.add(try sensor.sample(on: &bus), at: now)
    if movement == .shake { isShakePending = true }
    if movement != .calm {
      lastMotion = now
    } else if lastMotion.advanced(by: Self.calmTime) <= now {
      // The motion that began this, and every edge that was missed since, ends here.
      _ = try sensor.arm(on: &bus)
      // Not before it has kept its settings: one that fails again and again is reported once.
      report(.found)
      state = .resting
      deadline = nil
      return
    }
    if motionStart.advanced(by: Self.longestMotion) <= now {
      stop(nil, at: now)
    } else {
      // The next sample is not made up for if this one was late.
      deadline = now.advanced(by: Self.samplePeriod)
    }
  }

  private mutating func begin(_ newState: State, at now: Instant, isNew: Bool) {
    state = newState
    lastMotion = now
    if isNew { motionStart = now }
    deadline = now
  }

  private mutating func stop(_ error: PartError?, at now: Instant) {
    if let error { report(.lost(error)) }
    state = .stopped
    deadline = now.advanced(by: Self.retryTime)
  }

  private mutating func report(_ newEvent: PartEvent) {
    let isNowFound = newEvent == .found
    guard isFound != isNowFound else { return }
    isFound = isNowFound
    event = newEvent
  }
}
