// Commands of periodic advertising, and of synchronizing with it. Only a host that uses the commands of
// extended advertising and scanning uses these: Core Specification, Vol 4, Part E, 3.1.1.

/// Sets the parameters of the periodic advertising of a set: Core Specification, Vol 4, Part E, 7.8.61.
public struct LESetPeriodicAdvertisingParameters: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetPeriodicAdvertisingParameters
  /// The bit of `properties` for the transmit power in each packet.
  public static let includesTxPower: UInt16 = 1 &<< 6

  /// The advertising set, 0x00 to 0xEF.
  public var handle: UInt8
  /// The shortest time between two packets, in units of 1.25 ms, at least 6.
  public var minimumInterval: UInt16
  /// The longest time between two packets, in units of 1.25 ms.
  public var maximumInterval: UInt16
  /// `includesTxPower`, or 0.
  public var properties: UInt16

  /// Creates a command with these parameters.
  public init(
    handle: UInt8, minimumInterval: UInt16, maximumInterval: UInt16, properties: UInt16 = 0
  ) {
    self.handle = handle
    self.minimumInterval = minimumInterval
    self.maximumInterval = maximumInterval
    self.properties = properties
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = reader.readUInt8(), let minimum = reader.readUInt16(),
      let maximum = reader.readUInt16(), let properties = reader.readUInt16()
    else { return nil }
    self.init(
      handle: handle, minimumInterval: minimum, maximumInterval: maximum, properties: properties)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle)
    writer.write(minimumInterval)
    writer.write(maximumInterval)
    writer.write(properties)
  }
}

/// Sets a part of the data of a set's periodic advertising: Core Specification, Vol 4, Part E, 7.8.62.
public struct LESetPeriodicAdvertisingData: ~Escapable {
  /// The most bytes in one command.
  public static let longestPart = 252

  /// The advertising set, 0x00 to 0xEF.
  public var handle: UInt8
  /// Which part it is. While the train is sent, only `complete` and `unchanged` are allowed.
  public var operation: LESetExtendedAdvertisingData.Operation
  /// The part, at most 252 bytes.
  public var data: Span<UInt8>

  /// Creates a command with these parameters.
  @_lifetime(copy data) public init(
    handle: UInt8, operation: LESetExtendedAdvertisingData.Operation, data: Span<UInt8>
  ) {
    self.handle = handle
    self.operation = operation
    self.data = data
  }

  /// Reads the parameters; `nil` if they are too short, or have more than 252 bytes of data.
  @_lifetime(copy reader) public init?(_ reader: inout ByteReader) {
    guard let handle = reader.readUInt8(), let operation = reader.readUInt8(),
      let length = reader.readUInt8(), Int(length) <= Self.longestPart,
      let data = reader.readBytes(Int(length))
    else { return nil }
    self.init(handle: handle, operation: .init(rawValue: operation), data: data)
  }

  /// Writes the whole packet, H4's type byte first.
  public func writePacket(to writer: inout ByteWriter) {
    writer.write(HCIPacketType.command.rawValue)
    writer.write(HCIOpcode.leSetPeriodicAdvertisingData.rawValue)
    writer.write(UInt8(truncatingIfNeeded: 3 + data.count))
    writer.write(handle)
    writer.write(operation.rawValue)
    writer.write(UInt8(truncatingIfNeeded: data.count))
    writer.write(data)
  }
}

/// Starts or stops the periodic advertising of a set: Core Specification, Vol 4, Part E, 7.8.63. It
/// begins when the set advertises too, and goes on without that.
public struct LESetPeriodicAdvertisingEnable: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetPeriodicAdvertisingEnable

  /// Bit 0: on; bit 1: with the identifier of the data.
  public var enable: UInt8
  /// The advertising set, 0x00 to 0xEF.
  public var handle: UInt8

  /// Creates a command with these parameters.
  public init(enable: UInt8, handle: UInt8) {
    self.enable = enable
    self.handle = handle
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let enable = reader.readUInt8(), let handle = reader.readUInt8() else { return nil }
    self.init(enable: enable, handle: handle)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(enable)
    writer.write(handle)
  }
}

/// Synchronizes with a periodic advertising train, while the controller scans. Core Specification,
/// Vol 4, Part E, 7.8.67. Answered by Command Status, then LE Periodic Advertising Sync Established.
public struct LEPeriodicAdvertisingCreateSync: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.lePeriodicAdvertisingCreateSync

  /// Bit 0: with a set of the Periodic Advertiser list; bit 1: without reports at first; bit 2:
  /// without duplicate reports.
  public var options: UInt8
  /// The advertiser's set on the air, 0 to 15.
  public var advertisingSet: UInt8
  /// The advertiser.
  public var address: DeviceAddress
  /// How many packets may be left out after a received one, at most 0x01F3.
  public var skip: UInt16
  /// After how long without a packet the train is lost, in units of 10 ms, 0x000A to 0x4000.
  public var timeout: UInt16
  /// Which trains to leave out by their Constant Tone Extension; 0 for none.
  public var constantToneExtension: UInt8

  /// Creates a command with these parameters.
  public init(
    options: UInt8 = 0, advertisingSet: UInt8, address: DeviceAddress, skip: UInt16,
    timeout: UInt16, constantToneExtension: UInt8 = 0
  ) {
    self.options = options
    self.advertisingSet = advertisingSet
    self.address = address
    self.skip = skip
    self.timeout = timeout
    self.constantToneExtension = constantToneExtension
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let options = reader.readUInt8(), let advertisingSet = reader.readUInt8(),
      let address = DeviceAddress(&reader), let skip = reader.readUInt16(),
      let timeout = reader.readUInt16(), let extensions = reader.readUInt8()
    else { return nil }
    self.init(
      options: options, advertisingSet: advertisingSet, address: address, skip: skip,
      timeout: timeout, constantToneExtension: extensions)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(options)
    writer.write(advertisingSet)
    address.write(to: &writer)
    writer.write(skip)
    writer.write(timeout)
    writer.write(constantToneExtension)
  }
}

/// Ends the synchronization with a train: Core Specification, Vol 4, Part E, 7.8.69.
public struct LEPeriodicAdvertisingTerminateSync: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.lePeriodicAdvertisingTerminateSync

  /// The handle of the synchronization, 0x0000 to 0x0EFF.
  public var handle: UInt16

  /// Creates a command for this synchronization.
  public init(handle: UInt16) { self.handle = handle }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = reader.readUInt16() else { return nil }
    self.handle = handle
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) { writer.write(handle) }
}
