import BallRunner
import BluetoothHost
import EightBall

/// The motion sensor and the display of a virtual board, as models on virtual buses, with functions to move the ball
/// and to see the display.
public final class VirtualParts {
  /// How long a shake of the ball in the hand takes, in milliseconds: three strokes to and fro.
  public static let shakeTime: UInt32 = 700
  /// How often the sensor measures while the ball is moved, in milliseconds.
  private static let period: UInt32 = 20
  /// The shortest time between two pictures, in milliseconds: more would only flicker.
  private static let picturePeriod: UInt32 = 200

  /// The model of the display; `nil` if the board has none of 128×64 pixels.
  public let pixels: VirtualSSD1306?
  /// The model of the display; `nil` if the board has none of two lines of characters.
  public let characters: VirtualPCF8574?
  /// What the display shows, at most 200 ms late, and never half drawn; `nil` if the board has none.
  public private(set) var picture: DisplayPicture?

  private var display: WatchedDevice?
  /// When the picture changed last.
  private var pictureTime: Instant?
  /// When to look at the display again; `nil` if it waits for no picture.
  private var pictureDeadline: Instant?
  private var hasNewPicture = false
  private let sensor: VirtualMotionSensor?
  private var parts: BoardParts<VirtualI2CBus>
  private var hasMoved = false
  /// How far the present shake has come, in milliseconds; `nil` while the ball lies still. It goes on by one sample at
  /// a time, so that a program that is kept from running misses no stroke.
  private var shakeProgress: UInt32?
  private var nextSample: Instant?

  /// The parts of `board`; `nil` if it has none.
  ///
  /// - Parameters:
  ///   - board: The board.
  ///   - name: The ball's name, which the display shows.
  ///   - now: The present time.
  public init?(_ board: BoardDescription, name: DeviceName, at now: Instant) {
    guard board.motion != nil || board.display != nil else { return nil }
    var buses: [UInt8: VirtualI2CBus] = [:]
    func bus(_ number: UInt8) -> VirtualI2CBus {
      let bus = buses[number] ?? VirtualI2CBus()
      buses[number] = bus
      return bus
    }
    let motion = board.motion?.part
    sensor = motion.map { $0.model == .mpu6050 ? VirtualMPU6050() : VirtualLIS3DH() }
    if let motion, let sensor { bus(motion.bus).attach(sensor, at: motion.address) }
    let display = board.display
    pixels = display?.model == .ssd1306 ? VirtualSSD1306() : nil
    characters = display?.model == .hd44780 ? VirtualPCF8574() : nil
    if let display, let model: any VirtualI2CDevice = pixels ?? characters {
      let watched = WatchedDevice(model)
      bus(display.bus).attach(watched, at: display.address)
      self.display = watched
    }
    parts = BoardParts(board, name: name, at: now, bus)
    picture = currentPicture
    sensor?.onInterrupt = { [unowned self] isActive in if isActive { hasMoved = true } }
  }

  // MARK: The ball's side

  /// When `advance(to:)`, `takeShake` and `show` must be called; `nil` if nothing is due.
  public var deadline: Instant? {
    hasMoved
      ? Instant(rawValue: 0)
      : Instant.earlier(parts.deadline, Instant.earlier(nextSample, pictureDeadline))
  }

  /// Moves the ball on, if it is shaken.
  public func advance(to now: Instant) {
    characters?.advance(to: now)
    if let time = shakeProgress, let next = nextSample, next <= now {
      sensor?.acceleration = Self.acceleration(afterMilliseconds: time)
      let goesOn = time < Self.shakeTime
      shakeProgress = goesOn ? time + Self.period : nil
      nextSample = goesOn ? now.advanced(by: Self.period) : nil
    }
    guard hasMoved else { return }
    hasMoved = false
    parts.moved(at: now)
  }

  /// Reads the motion sensor if that is due; `true` once for each shake.
  public func takeShake(at now: Instant) -> Bool { parts.takeShake(at: now) }

  /// Shows the state of the ball.
  public func show(_ state: BallState, at now: Instant) {
    parts.show(state, at: now)
    lookAtDisplay(at: now)
  }

  /// Takes a change in whether a part works; `nil` without one.
  public func takeChange() -> PartChange? { parts.takeChange() }

  // MARK: For the person with the board

  /// Whether the board has a motion sensor, so that `shake` works.
  public var hasMotionSensor: Bool { sensor != nil }

  /// Whether `picture` has changed since the last call.
  public func takePictureChange() -> Bool {
    defer { hasNewPicture = false }
    return hasNewPicture
  }

  private func lookAtDisplay(at now: Instant) {
    pictureDeadline = nil
    guard let display, display.isTouched, !parts.isDrawing(at: now) else { return }
    if let next = pictureTime?.advanced(by: Self.picturePeriod), next > now {
      pictureDeadline = next
      return
    }
    display.isTouched = false
    let current = currentPicture
    guard current != picture else { return }
    picture = current
    pictureTime = now
    hasNewPicture = true
  }

  private var currentPicture: DisplayPicture? {
    pixels.map { DisplayPicture($0) } ?? characters.map { DisplayPicture($0) }
  }

  /// Shakes the ball in the hand. A shake that has begun goes on.
  ///
  /// - Returns: `false` if the board has no motion sensor.
  @discardableResult
  public func shake(at now: Instant) -> Bool {
    guard sensor != nil else { return false }
    guard shakeProgress == nil else { return true }
    shakeProgress = 0
    nextSample = now
    return true
  }

  /// The acceleration in a shake: a triangle of ±2.5 g along the x axis, 5 times a second, and gravity.
  private static func acceleration(afterMilliseconds time: UInt32) -> MotionSample {
    guard time < shakeTime else { return MotionSample(x: 0, y: 0, z: 1_000) }
    let phase = Int(time % 200)
    let wave = phase < 50 ? phase : phase < 150 ? 100 - phase : phase - 200
    return MotionSample(x: Int16(wave * 50), y: 0, z: 1_000)
  }
}

/// A device on a bus that notes each transfer to it.
private final class WatchedDevice: VirtualI2CDevice {
  /// Whether a byte was written to the device. Its owner resets this.
  var isTouched = false

  private let device: any VirtualI2CDevice

  init(_ device: any VirtualI2CDevice) { self.device = device }

  func receive(_ byte: UInt8, isFirst: Bool) -> Bool {
    isTouched = true
    return device.receive(byte, isFirst: isFirst)
  }

  func send() -> UInt8 { device.send() }

  func stop() { device.stop() }
}
