/// An acceleration along three axes, gravity included, in thousandths of the standard gravity (mg).
///
/// A part that lies still with its z axis up measures 0, 0, 1000.
public struct MotionSample: Equatable, Sendable {
  /// Along the x axis, in mg.
  public var x: Int16
  /// Along the y axis, in mg.
  public var y: Int16
  /// Along the z axis, in mg.
  public var z: Int16

  /// An acceleration, in mg for each axis.
  public init(x: Int16, y: Int16, z: Int16) {
    self.x = x
    self.y = y
    self.z = z
  }
}

/// A motion sensor on an I2C bus, with a line that goes high when it moves.
///
/// The line then stays high until `arm(on:)`: a part that is in motion causes one edge and no more.
/// No call waits, and a part that has failed fails each call with `PartError`.
public protocol MotionSensor {
  /// Checks the identity of the part, and sets it up to measure about 50 times a second and to
  /// report motion. The settings that it had before do not matter.
  ///
  /// - Parameters:
  ///   - bus: The bus that it is connected to.
  ///   - threshold: The change of acceleration, in mg on one axis, that counts as motion. It is
  ///     rounded down to the unit of the part, and limited to what the part can compare with.
  func start<Bus: I2CBus & ~Copyable>(on bus: inout Bus, threshold: UInt16) throws(PartError)

  /// The latest acceleration, read in one transfer. The range is at least ±7.9 g.
  func sample<Bus: I2CBus & ~Copyable>(on bus: inout Bus) throws(PartError) -> MotionSample

  /// Takes the line back low, so that the next motion causes an edge.
  ///
  /// - Returns: Whether the part had reported motion since the last call.
  /// - Throws: `PartError.lostSettings` if the part has forgotten what `start` set: it would never
  ///   report motion again.
  func arm<Bus: I2CBus & ~Copyable>(on bus: inout Bus) throws(PartError) -> Bool
}

extension I2CBus where Self: ~Copyable {
  /// Writes registers of one byte, each by a transfer of its own.
  ///
  /// - Parameter settings: For each register its number, in the upper byte, and its value.
  @inline(never)
  mutating func writeRegisters(
    _ settings: Span<UInt16>, of address: UInt8
  ) throws(PartError) {
    for index in settings.indices {
      let setting = settings[index]
      let bytes: InlineArray<2, UInt8> = [
        UInt8(truncatingIfNeeded: setting &>> 8), UInt8(truncatingIfNeeded: setting),
      ]
      do throws(I2CError) { try write(bytes.span, to: address) } catch { throw .bus(error) }
    }
  }

  /// Reads `count` registers in one transfer.
  mutating func readRegisters<let count: Int>(
    from register: UInt8, of address: UInt8
  ) throws(PartError) -> InlineArray<count, UInt8> {
    do throws(I2CError) {
      return try read(from: register, of: address)
    } catch { throw .bus(error) }
  }

  /// Fails unless the register has this value.
  @inline(never)
  mutating func checkIdentity(
    _ register: UInt8, is identity: UInt8, of address: UInt8
  ) throws(PartError) {
    let found: InlineArray<1, UInt8> = try readRegisters(from: register, of: address)
    guard found[0] == identity else { throw .wrongIdentity(found[0]) }
  }
}
