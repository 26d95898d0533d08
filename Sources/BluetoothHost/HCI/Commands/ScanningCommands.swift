/// Sets the parameters of scanning: Core Specification, Vol 4, Part E, 7.8.10.
public struct LESetScanParameters: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetScanParameters

  /// 0x00 passive; 0x01 active, with scan requests.
  public var type: UInt8
  /// The time between the starts of two scans, in units of 0.625 ms, 4 to 16,384.
  public var interval: UInt16
  /// The duration of a scan, in units of 0.625 ms, at most the interval.
  public var window: UInt16
  /// 0x00 public; 0x01 random; 0x02 and 0x03 a private address, or else the public or the random
  /// one.
  public var ownAddressType: UInt8
  /// 0x00: every advertiser.
  public var filterPolicy: UInt8

  /// Creates a command with these parameters.
  public init(
    type: UInt8, interval: UInt16, window: UInt16, ownAddressType: UInt8, filterPolicy: UInt8
  ) {
    self.type = type
    self.interval = interval
    self.window = window
    self.ownAddressType = ownAddressType
    self.filterPolicy = filterPolicy
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let type = reader.readUInt8(), let interval = reader.readUInt16(),
      let window = reader.readUInt16(), let ownAddressType = reader.readUInt8(),
      let filterPolicy = reader.readUInt8()
    else { return nil }
    self.type = type
    self.interval = interval
    self.window = window
    self.ownAddressType = ownAddressType
    self.filterPolicy = filterPolicy
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(type)
    writer.write(interval)
    writer.write(window)
    writer.write(ownAddressType)
    writer.write(filterPolicy)
  }
}

/// Starts or stops scanning: Core Specification, Vol 4, Part E, 7.8.11.
public struct LESetScanEnable: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetScanEnable

  /// 0x00 off; 0x01 on.
  public var enable: UInt8
  /// 0x01: each advertiser is reported once.
  public var filterDuplicates: UInt8

  /// Creates a command with these parameters.
  public init(enable: UInt8, filterDuplicates: UInt8) {
    self.enable = enable
    self.filterDuplicates = filterDuplicates
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let enable = reader.readUInt8(), let filterDuplicates = reader.readUInt8() else {
      return nil
    }
    self.enable = enable
    self.filterDuplicates = filterDuplicates
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(enable)
    writer.write(filterDuplicates)
  }
}

/// Connects to an advertiser. Core Specification, Vol 4, Part E, 7.8.12. Answered by Command
/// Status, then LE Connection Complete.
public struct LECreateConnection: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leCreateConnection

  /// In units of 0.625 ms, 4 to 16,384.
  public var scanInterval: UInt16
  /// In units of 0.625 ms, at most the interval.
  public var scanWindow: UInt16
  /// 0x00: connect to `peer`.
  public var filterPolicy: UInt8
  /// The advertiser.
  public var peer: DeviceAddress
  /// 0x00 public; 0x01 random; 0x02 and 0x03 a private address, or else the public or the random
  /// one.
  public var ownAddressType: UInt8
  /// The requested connection parameters.
  public var parameters: ConnectionParameters
  /// A hint, in units of 0.625 ms.
  public var minimumEventLength: UInt16
  /// A hint, in units of 0.625 ms.
  public var maximumEventLength: UInt16

  /// Creates a command with these parameters.
  public init(
    scanInterval: UInt16, scanWindow: UInt16, filterPolicy: UInt8, peer: DeviceAddress,
    ownAddressType: UInt8, parameters: ConnectionParameters, minimumEventLength: UInt16 = 0,
    maximumEventLength: UInt16 = 0
  ) {
    self.scanInterval = scanInterval
    self.scanWindow = scanWindow
    self.filterPolicy = filterPolicy
    self.peer = peer
    self.ownAddressType = ownAddressType
    self.parameters = parameters
    self.minimumEventLength = minimumEventLength
    self.maximumEventLength = maximumEventLength
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let scanInterval = reader.readUInt16(), let scanWindow = reader.readUInt16(),
      let filterPolicy = reader.readUInt8(), let peer = DeviceAddress(&reader),
      let ownAddressType = reader.readUInt8(), let parameters = ConnectionParameters(&reader),
      let minimumEventLength = reader.readUInt16(), let maximumEventLength = reader.readUInt16()
    else { return nil }
    self.scanInterval = scanInterval
    self.scanWindow = scanWindow
    self.filterPolicy = filterPolicy
    self.peer = peer
    self.ownAddressType = ownAddressType
    self.parameters = parameters
    self.minimumEventLength = minimumEventLength
    self.maximumEventLength = maximumEventLength
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(scanInterval)
    writer.write(scanWindow)
    writer.write(filterPolicy)
    peer.write(to: &writer)
    writer.write(ownAddressType)
    parameters.write(to: &writer)
    writer.write(minimumEventLength)
    writer.write(maximumEventLength)
  }
}
