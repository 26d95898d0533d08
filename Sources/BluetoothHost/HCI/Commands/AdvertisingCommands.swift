/// Sets the parameters of advertising: Core Specification, Vol 4, Part E, 7.8.5.
public struct LESetAdvertisingParameters: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetAdvertisingParameters

  /// The shortest time between advertisements, in units of 0.625 ms, 32 to 16,384.
  public var minimumInterval: UInt16
  /// The longest time between advertisements, in units of 0.625 ms, 32 to 16,384.
  public var maximumInterval: UInt16
  /// 0x00 ADV_IND; 0x01 ADV_DIRECT_IND, high duty cycle; 0x02 ADV_SCAN_IND; 0x03 ADV_NONCONN_IND;
  /// 0x04 ADV_DIRECT_IND, low duty cycle.
  public var type: UInt8
  /// 0x00 public; 0x01 random; 0x02 and 0x03 a private address, or else the public or the random
  /// one.
  public var ownAddressType: UInt8
  /// The target of directed advertising. With the own address type 0x02 or 0x03, also the device of
  /// the resolving list for which the private address is generated; ignored otherwise.
  public var peer: DeviceAddress
  /// Bit 0: channel 37; bit 1: 38; bit 2: 39.
  public var channelMap: UInt8
  /// 0x00: every device may scan and connect.
  public var filterPolicy: UInt8

  /// Creates a command with these parameters.
  public init(
    minimumInterval: UInt16, maximumInterval: UInt16, type: UInt8 = 0, ownAddressType: UInt8 = 0,
    peer: DeviceAddress = .zero, channelMap: UInt8 = 0b111, filterPolicy: UInt8 = 0
  ) {
    self.minimumInterval = minimumInterval
    self.maximumInterval = maximumInterval
    self.type = type
    self.ownAddressType = ownAddressType
    self.peer = peer
    self.channelMap = channelMap
    self.filterPolicy = filterPolicy
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let minimum = reader.readUInt16(), let maximum = reader.readUInt16(),
      let type = reader.readUInt8(), let own = reader.readUInt8(),
      let peer = DeviceAddress(&reader), let channels = reader.readUInt8(),
      let filter = reader.readUInt8()
    else { return nil }
    self.init(
      minimumInterval: minimum, maximumInterval: maximum, type: type, ownAddressType: own,
      peer: peer, channelMap: channels, filterPolicy: filter)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(minimumInterval)
    writer.write(maximumInterval)
    writer.write(type)
    writer.write(ownAddressType)
    peer.write(to: &writer)
    writer.write(channelMap)
    writer.write(filterPolicy)
  }
}

/// Sets the data of advertisements: Core Specification, Vol 4, Part E, 7.8.7.
public struct LESetAdvertisingData: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetAdvertisingData

  /// The data; the packet pads it with zeros to 31 bytes.
  public var data: AdvertisingData

  /// Creates a command with this data.
  public init(_ data: AdvertisingData) { self.data = data }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let data = AdvertisingData(padded: &reader) else { return nil }
    self.data = data
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) { data.writePadded(to: &writer) }
}

/// Sets the data of scan responses: Core Specification, Vol 4, Part E, 7.8.8.
public struct LESetScanResponseData: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetScanResponseData

  /// The data; the packet pads it with zeros to 31 bytes.
  public var data: AdvertisingData

  /// Creates a command with this data.
  public init(_ data: AdvertisingData) { self.data = data }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let data = AdvertisingData(padded: &reader) else { return nil }
    self.data = data
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) { data.writePadded(to: &writer) }
}

/// Starts or stops advertising: Core Specification, Vol 4, Part E, 7.8.9.
public struct LESetAdvertisingEnable: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetAdvertisingEnable

  /// Whether to advertise.
  public var isEnabled: Bool

  /// Creates a command with this state.
  public init(_ isEnabled: Bool) { self.isEnabled = isEnabled }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let enable = reader.readUInt8() else { return nil }
    isEnabled = enable != 0
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(UInt8(isEnabled ? 1 : 0))
  }
}

/// Sets the device's random address: Core Specification, Vol 4, Part E, 7.8.4.
public struct LESetRandomAddress: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetRandomAddress

  /// The address, of the random kind.
  public var address: DeviceAddress

  /// Creates a command with this address.
  public init(_ address: DeviceAddress) { self.address = address }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let address = DeviceAddress(&reader, kind: .random) else { return nil }
    self.address = address
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) { address.writeBytes(to: &writer) }
}
