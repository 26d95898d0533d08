// Commands of extended advertising. A host uses either these or those of AdvertisingCommands.swift,
// never both between two resets: Core Specification, Vol 4, Part E, 3.1.1.

/// Sets the random address of one advertising set: Core Specification, Vol 4, Part E, 7.8.52.
public struct LESetAdvertisingSetRandomAddress: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetAdvertisingSetRandomAddress

  /// The advertising set, 0x00 to 0xEF.
  public var handle: UInt8
  /// The address, of the random kind.
  public var address: DeviceAddress

  /// Creates a command with these parameters.
  public init(handle: UInt8, address: DeviceAddress) {
    self.handle = handle
    self.address = address
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = reader.readUInt8(), let address = DeviceAddress(&reader, kind: .random)
    else { return nil }
    self.init(handle: handle, address: address)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle)
    address.writeBytes(to: &writer)
  }
}

/// What an advertising set sends. Core Specification, Vol 4, Part E, 7.8.53; and the event type of
/// an extended report, 7.7.65.13, which has `scanResponse` and the data status too.
public struct AdvertisingProperties: BitField {
  /// The value in the packet.
  public var rawValue: UInt16

  /// Any value, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Initiators may connect.
  public static let connectable = AdvertisingProperties(rawValue: 1 &<< 0)
  /// It answers scan requests.
  public static let scannable = AdvertisingProperties(rawValue: 1 &<< 1)
  /// It is for one device.
  public static let directed = AdvertisingProperties(rawValue: 1 &<< 2)
  /// In a command: directed, at most every 3.75 ms. Only with legacy PDUs.
  public static let highDuty = AdvertisingProperties(rawValue: 1 &<< 3)
  /// In a report: the data is a scan response.
  public static let scanResponse = AdvertisingProperties(rawValue: 1 &<< 3)
  /// Legacy PDUs, which every LE device receives.
  public static let legacy = AdvertisingProperties(rawValue: 1 &<< 4)
  /// ADV_IND: connectable and scannable, with legacy PDUs.
  public static let legacyConnectable = AdvertisingProperties(rawValue: 0b1_0011)
  /// In a command: without the advertiser's address.
  public static let anonymous = AdvertisingProperties(rawValue: 1 &<< 5)
  /// In a command: with the transmit power.
  public static let txPower = AdvertisingProperties(rawValue: 1 &<< 6)
}

/// Sets the parameters of an advertising set, which it creates if the controller does not have it.
/// Core Specification, Vol 4, Part E, 7.8.53. Answered by Command Complete with the transmit power.
public struct LESetExtendedAdvertisingParameters: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetExtendedAdvertisingParameters
  /// The transmit power if the host has no preference.
  public static let anyPower: Int8 = 127

  /// The advertising set, 0x00 to 0xEF.
  public var handle: UInt8
  /// What the set sends.
  public var properties: AdvertisingProperties
  /// The shortest time between advertisements, in units of 0.625 ms, 32 to 0xFFFFFF.
  public var minimumInterval: UInt32
  /// The longest time between advertisements, in units of 0.625 ms, 32 to 0xFFFFFF.
  public var maximumInterval: UInt32
  /// Bit 0: channel 37; bit 1: 38; bit 2: 39.
  public var channelMap: UInt8 = 0b111
  /// 0x00 public; 0x01 random; 0x02 and 0x03 a private address, or else the public or the random
  /// one.
  public var ownAddressType: UInt8
  /// As in `LESetAdvertisingParameters`.
  public var peer = DeviceAddress.zero
  /// 0x00: every device may scan and connect.
  public var filterPolicy: UInt8
  /// The transmit power in dBm, -127 to 20, or `anyPower`.
  public var txPower = Self.anyPower
  /// The PHY of the advertisements: 1M or coded.
  public var primaryPHY: PHY
  /// How many advertisements may pass without their data.
  public var maximumSkip: UInt8 = 0
  /// The PHY of the data, and of links.
  public var secondaryPHY: PHY
  /// The set's identifier on the air, 0 to 15.
  public var identifier: UInt8
  /// Whether the controller reports scan requests.
  public var notifiesOfRequests: UInt8 = 0

  /// Creates a command with these parameters.
  public init(
    handle: UInt8, properties: AdvertisingProperties, minimumInterval: UInt32,
    maximumInterval: UInt32, ownAddressType: UInt8 = 0, filterPolicy: UInt8 = 0,
    primaryPHY: PHY = .le1M, secondaryPHY: PHY = .le1M, identifier: UInt8 = 0
  ) {
    self.handle = handle
    self.properties = properties
    self.minimumInterval = minimumInterval
    self.maximumInterval = maximumInterval
    self.ownAddressType = ownAddressType
    self.filterPolicy = filterPolicy
    self.primaryPHY = primaryPHY
    self.secondaryPHY = secondaryPHY
    self.identifier = identifier
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = reader.readUInt8(), let properties = reader.readUInt16(),
      let minimum = reader.readUInt24(), let maximum = reader.readUInt24(),
      let channelMap = reader.readUInt8(), let own = reader.readUInt8(),
      let peer = DeviceAddress(&reader), let filter = reader.readUInt8(),
      let power = reader.readInt8(), let primary = reader.readUInt8(),
      let skip = reader.readUInt8(), let secondary = reader.readUInt8(),
      let identifier = reader.readUInt8(), let notifies = reader.readUInt8()
    else { return nil }
    self.init(
      handle: handle, properties: AdvertisingProperties(rawValue: properties),
      minimumInterval: minimum, maximumInterval: maximum, ownAddressType: own,
      filterPolicy: filter, primaryPHY: PHY(rawValue: primary),
      secondaryPHY: PHY(rawValue: secondary), identifier: identifier)
    self.channelMap = channelMap
    self.peer = peer
    txPower = power
    maximumSkip = skip
    notifiesOfRequests = notifies
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle)
    writer.write(properties.rawValue)
    writer.writeUInt24(minimumInterval)
    writer.writeUInt24(maximumInterval)
    writer.write(channelMap)
    writer.write(ownAddressType)
    peer.write(to: &writer)
    writer.write(filterPolicy)
    writer.write(txPower)
    writer.write(primaryPHY.rawValue)
    writer.write(maximumSkip)
    writer.write(secondaryPHY.rawValue)
    writer.write(identifier)
    writer.write(notifiesOfRequests)
  }
}

/// Sets a part of the advertising data or of the scan response data of an advertising set, each a
/// command of its own with the same parameters: Core Specification, Vol 4, Part E, 7.8.54 and
/// 7.8.55.
public struct LESetExtendedAdvertisingData: ~Escapable {
  /// Which part of the data a command has.
  public struct Operation: RawRepresentable, Equatable, Sendable {
    /// The value in the packet.
    public var rawValue: UInt8

    /// Any value, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A part between the first and the last.
    public static let intermediate = Operation(rawValue: 0x00)
    /// The first part.
    public static let first = Operation(rawValue: 0x01)
    /// The last part.
    public static let last = Operation(rawValue: 0x02)
    /// All of the data.
    public static let complete = Operation(rawValue: 0x03)
    /// No data: the set keeps its own, and gets a new identifier of it.
    public static let unchanged = Operation(rawValue: 0x04)

    /// The part with `length` bytes from `offset` of data with `count` bytes.
    public init(from offset: Int, _ length: Int, of count: Int) {
      let isLast = offset + length >= count
      self = offset == 0 ? (isLast ? .complete : .first) : (isLast ? .last : .intermediate)
    }
  }

  /// The most bytes in one command.
  public static let longestPart = 251
  /// The most bytes of a set.
  public static let capacity = 1_650

  /// The advertising set, 0x00 to 0xEF.
  public var handle: UInt8
  /// Which part it is.
  public var operation: Operation
  /// 0x00: the controller may send the data in several packets; 0x01: it should send few.
  public var fragmentPreference: UInt8
  /// The part, at most 251 bytes.
  public var data: Span<UInt8>

  /// Creates a command with these parameters.
  @_lifetime(copy data) public init(
    handle: UInt8, operation: Operation, fragmentPreference: UInt8 = 1, data: Span<UInt8>
  ) {
    self.handle = handle
    self.operation = operation
    self.fragmentPreference = fragmentPreference
    self.data = data
  }

  /// Reads the parameters; `nil` if they are too short, or have more than 251 bytes of data.
  @_lifetime(copy reader) public init?(_ reader: inout ByteReader) {
    guard let handle = reader.readUInt8(), let operation = reader.readUInt8(),
      let preference = reader.readUInt8(), let length = reader.readUInt8(),
      Int(length) <= Self.longestPart, let data = reader.readBytes(Int(length))
    else { return nil }
    self.init(
      handle: handle, operation: Operation(rawValue: operation), fragmentPreference: preference,
      data: data)
  }

  /// Writes the whole packet of either command, H4's type byte first.
  public func writePacket(_ opcode: HCIOpcode, to writer: inout ByteWriter) {
    writer.write(HCIPacketType.command.rawValue)
    writer.write(opcode.rawValue)
    writer.write(UInt8(truncatingIfNeeded: 4 + data.count))
    writer.write(handle)
    writer.write(operation.rawValue)
    writer.write(fragmentPreference)
    writer.write(UInt8(truncatingIfNeeded: data.count))
    writer.write(data)
  }
}

/// Starts or stops some advertising sets. Core Specification, Vol 4, Part E, 7.8.56. Without a set
/// it stops all. Read one set at a time: call `next()` until `nil`.
public struct LESetExtendedAdvertisingEnable: ~Escapable {
  /// One advertising set.
  public struct Member: Equatable, Sendable {
    /// The set.
    public var handle: UInt8
    /// After how long it stops, in units of 10 ms; 0 for never.
    public var duration: UInt16
    /// After how many advertisements it stops; 0 for never.
    public var maximumEvents: UInt8

    /// A set that advertises until it is stopped.
    public init(handle: UInt8, duration: UInt16 = 0, maximumEvents: UInt8 = 0) {
      self.handle = handle
      self.duration = duration
      self.maximumEvents = maximumEvents
    }
  }

  /// 0x00 off; 0x01 on.
  public let enable: UInt8
  private var reader: ByteReader
  /// How many sets `next()` has yet to return.
  public private(set) var count: Int

  /// Reads the parameters; `nil` if they are too short for the number of sets.
  @_lifetime(copy reader) public init?(_ reader: inout ByteReader) {
    guard let enable = reader.readUInt8(), let count = reader.readUInt8(),
      let members = reader.readBytes(4 * Int(count))
    else { return nil }
    self.enable = enable
    self.reader = ByteReader(members)
    self.count = Int(count)
  }

  /// The next set.
  public mutating func next() -> Member? {
    guard count > 0, let handle = reader.readUInt8(), let duration = reader.readUInt16(),
      let events = reader.readUInt8()
    else { return nil }
    count -= 1
    return Member(handle: handle, duration: duration, maximumEvents: events)
  }

  /// Writes a whole packet for one set, or with `nil` for all of them, H4's type byte first.
  public static func writePacket(isEnabled: Bool, _ member: Member?, to writer: inout ByteWriter) {
    writer.write(HCIPacketType.command.rawValue)
    writer.write(HCIOpcode.leSetExtendedAdvertisingEnable.rawValue)
    writer.write(UInt8(member == nil ? 2 : 6))
    writer.write(UInt8(isEnabled ? 1 : 0))
    writer.write(UInt8(member == nil ? 0 : 1))
    guard let member else { return }
    writer.write(member.handle)
    writer.write(member.duration)
    writer.write(member.maximumEvents)
  }
}

/// Removes an advertising set, which is off: Core Specification, Vol 4, Part E, 7.8.59.
public struct LERemoveAdvertisingSet: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leRemoveAdvertisingSet

  /// The advertising set, 0x00 to 0xEF.
  public var handle: UInt8

  /// Creates a command for this set.
  public init(handle: UInt8) { self.handle = handle }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = reader.readUInt8() else { return nil }
    self.handle = handle
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) { writer.write(handle) }
}
