// Connection subrating, of Bluetooth 5.3: Core Specification, Vol 6, Part B, 4.5.1 and 5.1.19.

/// Which of a link's connection events its devices use, as a device requests it.
///
/// These ten bytes are part of two commands: Core Specification, Vol 4, Part E, 7.8.123 and 7.8.124.
public struct SubrateParameters: Equatable, Sendable {
  /// The smallest factor: one connection event in so many is used, 1 to 500.
  public var minimumFactor: UInt16
  /// The largest factor, 1 to 500.
  public var maximumFactor: UInt16
  /// How many of the used events the peripheral may skip at most, 0 to 499.
  public var maximumLatency: UInt16
  /// How many events are used after one with data, at least; 0 to 499, and less than `maximumFactor`.
  public var continuationNumber: UInt16
  /// How long the link may be silent until it ends, in units of 10 ms, 10 to 3,200.
  public var supervisionTimeout: UInt16

  /// Every event is used: what a controller accepts from peripherals until its host sets more.
  public static var none: SubrateParameters {
    SubrateParameters(
      minimumFactor: 1, maximumFactor: 1, maximumLatency: 0, continuationNumber: 0,
      supervisionTimeout: 3_200)
  }

  /// Creates parameters without a check of their values.
  public init(
    minimumFactor: UInt16, maximumFactor: UInt16, maximumLatency: UInt16 = 0,
    continuationNumber: UInt16 = 0, supervisionTimeout: UInt16
  ) {
    self.minimumFactor = minimumFactor
    self.maximumFactor = maximumFactor
    self.maximumLatency = maximumLatency
    self.continuationNumber = continuationNumber
    self.supervisionTimeout = supervisionTimeout
  }

  /// Reads ten bytes.
  public init?(_ reader: inout ByteReader) {
    guard let minimum = reader.readUInt16(), let maximum = reader.readUInt16(),
      let latency = reader.readUInt16(), let continuation = reader.readUInt16(),
      let timeout = reader.readUInt16()
    else { return nil }
    self.init(
      minimumFactor: minimum, maximumFactor: maximum, maximumLatency: latency,
      continuationNumber: continuation, supervisionTimeout: timeout)
  }

  /// Writes ten bytes.
  public func write(to writer: inout ByteWriter) {
    writer.write(minimumFactor)
    writer.write(maximumFactor)
    writer.write(maximumLatency)
    writer.write(continuationNumber)
    writer.write(supervisionTimeout)
  }

  /// Whether they are in their ranges, and the peripheral listens to one event in 500 at least:
  /// Core Specification, Vol 4, Part E, 7.8.123.
  public var areValid: Bool {
    minimumFactor >= 1 && minimumFactor <= maximumFactor && maximumFactor <= 500
      && maximumLatency <= 499
      && UInt32(maximumFactor) * (UInt32(maximumLatency) + 1) <= 500
      && continuationNumber < maximumFactor
      && supervisionTimeout >= 10 && supervisionTimeout <= 3_200
  }
}

/// Requests another subrate of a link: Core Specification, Vol 4, Part E, 7.8.124. Answered by Command
/// Status, then LE Subrate Change.
public struct LESubrateRequest: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSubrateRequest

  /// The link.
  public var handle: ConnectionHandle
  /// What is requested.
  public var parameters: SubrateParameters

  /// Creates a command with these parameters.
  public init(handle: ConnectionHandle, parameters: SubrateParameters) {
    self.handle = handle
    self.parameters = parameters
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    parameters.write(to: &writer)
  }
}

/// Sets a feature that the host supports, for the peers: Core Specification, Vol 4, Part E, 7.8.115.
public struct LESetHostFeature: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetHostFeature
  /// The bit of Connection Subrating (Host Support): Vol 6, Part B, 4.6.
  public static let connectionSubrating: UInt8 = 38

  /// The number of the feature's bit.
  public var bit: UInt8
  /// 1 if the host supports it, or else 0.
  public var value: UInt8

  /// Creates a command with these parameters.
  public init(bit: UInt8, value: UInt8) {
    self.bit = bit
    self.value = value
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let bit = reader.readUInt8(), let value = reader.readUInt8() else { return nil }
    self.init(bit: bit, value: value)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(bit)
    writer.write(value)
  }
}
