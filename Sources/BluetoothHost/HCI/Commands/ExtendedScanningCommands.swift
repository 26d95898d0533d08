// Commands of extended scanning and connecting. A host uses either these or those of
// ScanningCommands.swift, never both between two resets: Core Specification, Vol 4, Part E, 3.1.1.

/// Sets the parameters of scanning on each PHY: Core Specification, Vol 4, Part E, 7.8.64.
public struct LESetExtendedScanParameters: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetExtendedScanParameters

  /// The scan on one PHY.
  public struct Scan: Equatable, Sendable {
    /// 0x00 passive; 0x01 active, with scan requests.
    public var type: UInt8
    /// The time between the starts of two scans, in units of 0.625 ms, at least 4.
    public var interval: UInt16
    /// The duration of a scan, in units of 0.625 ms, at most the interval.
    public var window: UInt16

    /// Creates a scan with these parameters.
    public init(type: UInt8, interval: UInt16, window: UInt16) {
      self.type = type
      self.interval = interval
      self.window = window
    }

    fileprivate init?(_ reader: inout ByteReader) {
      guard let type = reader.readUInt8(), let interval = reader.readUInt16(),
        let window = reader.readUInt16()
      else { return nil }
      self.init(type: type, interval: interval, window: window)
    }

    fileprivate func write(to writer: inout ByteWriter) {
      writer.write(type)
      writer.write(interval)
      writer.write(window)
    }
  }

  /// 0x00 public; 0x01 random; 0x02 and 0x03 a private address, or else the public or the random
  /// one.
  public var ownAddressType: UInt8
  /// 0x00: every advertiser.
  public var filterPolicy: UInt8
  /// The scan on 1M; `nil` for none.
  public var le1M: Scan?
  /// The scan on the coded PHY; `nil` for none.
  public var leCoded: Scan?

  /// Creates a command with these parameters.
  public init(ownAddressType: UInt8, filterPolicy: UInt8, le1M: Scan?, leCoded: Scan?) {
    self.ownAddressType = ownAddressType
    self.filterPolicy = filterPolicy
    self.le1M = le1M
    self.leCoded = leCoded
  }

  /// The PHYs on which it scans.
  public var phys: PHYSet {
    PHYSet(rawValue: (le1M == nil ? 0 : 0b001) | (leCoded == nil ? 0 : 0b100))
  }

  /// Reads the parameters; `nil` if they are too short, or have no PHY or one that no device scans on.
  public init?(_ reader: inout ByteReader) {
    guard let own = reader.readUInt8(), let filter = reader.readUInt8(),
      let byte = reader.readUInt8()
    else { return nil }
    let phys = PHYSet(rawValue: byte)
    guard byte != 0, byte & ~0b101 == 0 else { return nil }
    self.init(ownAddressType: own, filterPolicy: filter, le1M: nil, leCoded: nil)
    if phys.contains(.le1M) {
      guard let scan = Scan(&reader) else { return nil }
      le1M = scan
    }
    if phys.contains(.leCoded) {
      guard let scan = Scan(&reader) else { return nil }
      leCoded = scan
    }
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(ownAddressType)
    writer.write(filterPolicy)
    writer.write(phys.rawValue)
    le1M?.write(to: &writer)
    leCoded?.write(to: &writer)
  }
}

/// Starts or stops extended scanning: Core Specification, Vol 4, Part E, 7.8.65.
public struct LESetExtendedScanEnable: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetExtendedScanEnable

  /// 0x00 off; 0x01 on.
  public var enable: UInt8
  /// 0x01: each advertisement is reported once; 0x02: once in each period.
  public var filterDuplicates: UInt8
  /// After how long the scan ends, in units of 10 ms; 0 for never.
  public var duration: UInt16
  /// The time between the starts of two scans, in units of 1.28 s; 0 to scan once.
  public var period: UInt16

  /// Creates a command with these parameters.
  public init(enable: UInt8, filterDuplicates: UInt8, duration: UInt16 = 0, period: UInt16 = 0) {
    self.enable = enable
    self.filterDuplicates = filterDuplicates
    self.duration = duration
    self.period = period
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let enable = reader.readUInt8(), let filterDuplicates = reader.readUInt8(),
      let duration = reader.readUInt16(), let period = reader.readUInt16()
    else { return nil }
    self.init(
      enable: enable, filterDuplicates: filterDuplicates, duration: duration, period: period)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(enable)
    writer.write(filterDuplicates)
    writer.write(duration)
    writer.write(period)
  }
}

/// Connects to an advertiser on the PHYs that it gives parameters for. Core Specification, Vol 4,
/// Part E, 7.8.66. Answered by Command Status, then LE Enhanced Connection Complete.
public struct LEExtendedCreateConnection: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leExtendedCreateConnection

  /// The attempt on one PHY.
  public struct Attempt: Equatable, Sendable {
    /// In units of 0.625 ms, at least 4.
    public var scanInterval: UInt16
    /// In units of 0.625 ms, at most the interval.
    public var scanWindow: UInt16
    /// The requested connection parameters.
    public var parameters: ConnectionParameters
    /// A hint, in units of 0.625 ms.
    public var minimumEventLength: UInt16
    /// A hint, in units of 0.625 ms.
    public var maximumEventLength: UInt16

    /// Creates an attempt with these parameters.
    public init(
      scanInterval: UInt16, scanWindow: UInt16, parameters: ConnectionParameters,
      minimumEventLength: UInt16 = 0, maximumEventLength: UInt16 = 0
    ) {
      self.scanInterval = scanInterval
      self.scanWindow = scanWindow
      self.parameters = parameters
      self.minimumEventLength = minimumEventLength
      self.maximumEventLength = maximumEventLength
    }

    fileprivate init?(_ reader: inout ByteReader) {
      guard let interval = reader.readUInt16(), let window = reader.readUInt16(),
        let parameters = ConnectionParameters(&reader), let minimum = reader.readUInt16(),
        let maximum = reader.readUInt16()
      else { return nil }
      self.init(
        scanInterval: interval, scanWindow: window, parameters: parameters,
        minimumEventLength: minimum, maximumEventLength: maximum)
    }

    fileprivate func write(to writer: inout ByteWriter) {
      writer.write(scanInterval)
      writer.write(scanWindow)
      parameters.write(to: &writer)
      writer.write(minimumEventLength)
      writer.write(maximumEventLength)
    }
  }

  /// 0x00: connect to `peer`.
  public var filterPolicy: UInt8
  /// 0x00 public; 0x01 random; 0x02 and 0x03 a private address, or else the public or the random
  /// one.
  public var ownAddressType: UInt8
  /// The advertiser.
  public var peer: DeviceAddress
  /// The attempt on each PHY: 1M, 2M, coded; `nil` for none.
  public var attempts: InlineArray<3, Attempt?>

  /// Creates a command with the same attempt on each of `phys`.
  public init(
    filterPolicy: UInt8, ownAddressType: UInt8, peer: DeviceAddress, phys: PHYSet,
    attempt: Attempt
  ) {
    self.filterPolicy = filterPolicy
    self.ownAddressType = ownAddressType
    self.peer = peer
    attempts = InlineArray { phys.rawValue & 1 &<< UInt8($0) != 0 ? attempt : nil }
  }

  /// The PHYs of the attempts.
  public var phys: PHYSet {
    var bits: UInt8 = 0
    for index in 0..<3 where attempts[index] != nil {
      bits |= 1 &<< UInt8(truncatingIfNeeded: index)
    }
    return PHYSet(rawValue: bits)
  }

  /// Reads the parameters; `nil` if they are too short, or have no PHY or an unknown one.
  public init?(_ reader: inout ByteReader) {
    guard let filterPolicy = reader.readUInt8(), let ownAddressType = reader.readUInt8(),
      let peer = DeviceAddress(&reader), let phys = reader.readUInt8(), phys != 0, phys <= 0b111
    else { return nil }
    self.filterPolicy = filterPolicy
    self.ownAddressType = ownAddressType
    self.peer = peer
    attempts = InlineArray(repeating: nil)
    for index in 0..<3 where phys & 1 &<< UInt8(index) != 0 {
      guard let attempt = Attempt(&reader) else { return nil }
      attempts[index] = attempt
    }
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(filterPolicy)
    writer.write(ownAddressType)
    peer.write(to: &writer)
    writer.write(phys.rawValue)
    for index in 0..<3 { attempts[index]?.write(to: &writer) }
  }

  /// Whether both have the same parameters.
  public static func == (left: Self, right: Self) -> Bool {
    for index in 0..<3 where left.attempts[index] != right.attempts[index] { return false }
    return left.filterPolicy == right.filterPolicy && left.ownAddressType == right.ownAddressType
      && left.peer == right.peer
  }
}
