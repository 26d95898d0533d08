/// How to look for advertisers.
///
/// Core Specification, Vol 4, Part E, 7.8.10.
public struct LESetScanParameters: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.leSetScanParameters

  /// 0x00 passive; 0x01 active, asking for scan responses.
  public var type: UInt8
  /// From one scan to the next, in 0.625 ms, 4 to 16,384.
  public var interval: UInt16
  /// How long a scan lasts, in 0.625 ms, at most the interval.
  public var window: UInt16
  /// 0x00 public; 0x01 random.
  public var ownAddressType: UInt8
  /// 0x00: every advertiser.
  public var filterPolicy: UInt8

  /// A command with these parameters.
  public init(
    type: UInt8,
    interval: UInt16,
    window: UInt16,
    ownAddressType: UInt8,
    filterPolicy: UInt8
  ) {
    self.type = type
    self.interval = interval
    self.window = window
    self.ownAddressType = ownAddressType
    self.filterPolicy = filterPolicy
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let type = reader.readUInt8(),
      let interval = reader.readUInt16(),
      let window = reader.readUInt16(),
      let ownAddressType = reader.readUInt8(),
      let filterPolicy = reader.readUInt8()
    else { return nil }
    self.type = type
    self.interval = interval
    self.window = window
    self.ownAddressType = ownAddressType
    self.filterPolicy = filterPolicy
  }

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(type)
    writer.write(interval)
    writer.write(window)
    writer.write(ownAddressType)
    writer.write(filterPolicy)
  }
}

/// Starts or ends scanning.
///
/// Core Specification, Vol 4, Part E, 7.8.11.
public struct LESetScanEnable: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.leSetScanEnable

  /// 0x00 off; 0x01 on.
  public var enable: UInt8
  /// 0x01: each advertiser is reported once.
  public var filterDuplicates: UInt8

  /// A command with these parameters.
  public init(enable: UInt8, filterDuplicates: UInt8) {
    self.enable = enable
    self.filterDuplicates = filterDuplicates
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let enable = reader.readUInt8(),
      let filterDuplicates = reader.readUInt8()
    else { return nil }
    self.enable = enable
    self.filterDuplicates = filterDuplicates
  }

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(enable)
    writer.write(filterDuplicates)
  }
}

/// Connects to an advertiser.
///
/// Core Specification, Vol 4, Part E, 7.8.12. Answered by Command Status, then LE Connection Complete.
public struct LECreateConnection: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.leCreateConnection

  /// In 0.625 ms, 4 to 16,384.
  public var scanInterval: UInt16
  /// In 0.625 ms, at most the interval.
  public var scanWindow: UInt16
  /// 0x00: connect to `peer`.
  public var filterPolicy: UInt8
  /// The advertiser.
  public var peer: DeviceAddress
  /// 0x00 public; 0x01 random.
  public var ownAddressType: UInt8
  /// The shortest connection interval, in 1.25 ms, 6 to 3,200.
  public var minimumInterval: UInt16
  /// The longest connection interval, in 1.25 ms, 6 to 3,200.
  public var maximumInterval: UInt16
  /// How many connection events the peripheral may skip, 0 to 499.
  public var latency: UInt16
  /// How long a silent link lives, in 10 ms, 10 to 3,200.
  public var supervisionTimeout: UInt16
  /// A hint, in 0.625 ms.
  public var minimumEventLength: UInt16
  /// A hint, in 0.625 ms.
  public var maximumEventLength: UInt16

  /// A command with these parameters.
  public init(
    scanInterval: UInt16,
    scanWindow: UInt16,
    filterPolicy: UInt8,
    peer: DeviceAddress,
    ownAddressType: UInt8,
    minimumInterval: UInt16,
    maximumInterval: UInt16,
    latency: UInt16,
    supervisionTimeout: UInt16,
    minimumEventLength: UInt16,
    maximumEventLength: UInt16
  ) {
    self.scanInterval = scanInterval
    self.scanWindow = scanWindow
    self.filterPolicy = filterPolicy
    self.peer = peer
    self.ownAddressType = ownAddressType
    self.minimumInterval = minimumInterval
    self.maximumInterval = maximumInterval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
    self.minimumEventLength = minimumEventLength
    self.maximumEventLength = maximumEventLength
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let scanInterval = reader.readUInt16(),
      let scanWindow = reader.readUInt16(),
      let filterPolicy = reader.readUInt8(),
      let peer = DeviceAddress(&reader),
      let ownAddressType = reader.readUInt8(),
      let minimumInterval = reader.readUInt16(),
      let maximumInterval = reader.readUInt16(),
      let latency = reader.readUInt16(),
      let supervisionTimeout = reader.readUInt16(),
      let minimumEventLength = reader.readUInt16(),
      let maximumEventLength = reader.readUInt16()
    else { return nil }
    self.scanInterval = scanInterval
    self.scanWindow = scanWindow
    self.filterPolicy = filterPolicy
    self.peer = peer
    self.ownAddressType = ownAddressType
    self.minimumInterval = minimumInterval
    self.maximumInterval = maximumInterval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
    self.minimumEventLength = minimumEventLength
    self.maximumEventLength = maximumEventLength
  }

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(scanInterval)
    writer.write(scanWindow)
    writer.write(filterPolicy)
    peer.write(to: &writer)
    writer.write(ownAddressType)
    writer.write(minimumInterval)
    writer.write(maximumInterval)
    writer.write(latency)
    writer.write(supervisionTimeout)
    writer.write(minimumEventLength)
    writer.write(maximumEventLength)
  }
}
