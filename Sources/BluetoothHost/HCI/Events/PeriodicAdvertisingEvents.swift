/// The controller has synchronized with a periodic advertising train, or could not. Core Specification,
/// Vol 4, Part E, 7.7.65.14.
public struct LEPeriodicAdvertisingSyncEstablished: LEMetaEvent, Equatable {
  /// The LE Meta subevent.
  public static let subevent = LEMetaSubevent.periodicAdvertisingSyncEstablished

  /// `success`; `operationCancelledByHost` after a command to cancel;
  /// `connectionFailedToBeEstablished` if the train was not received.
  public var status: HCIErrorCode
  /// The handle of the synchronization.
  public var handle: UInt16
  /// The advertiser's set on the air, 0 to 15.
  public var advertisingSet: UInt8
  /// The advertiser.
  public var address: DeviceAddress
  /// The PHY of the train.
  public var phy: PHY
  /// The time between two packets, in units of 1.25 ms.
  public var interval: UInt16
  /// The accuracy of the advertiser's clock: 0 for 500 ppm, to 7 for 20 ppm.
  public var clockAccuracy: UInt8

  /// Creates an event with these parameters.
  public init(
    status: HCIErrorCode, handle: UInt16, advertisingSet: UInt8, address: DeviceAddress, phy: PHY,
    interval: UInt16, clockAccuracy: UInt8 = 0
  ) {
    self.status = status
    self.handle = handle
    self.advertisingSet = advertisingSet
    self.address = address
    self.phy = phy
    self.interval = interval
    self.clockAccuracy = clockAccuracy
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let status = reader.readUInt8(), let handle = reader.readUInt16(),
      let advertisingSet = reader.readUInt8(), let address = DeviceAddress(&reader),
      let phy = reader.readUInt8(), let interval = reader.readUInt16(),
      let accuracy = reader.readUInt8()
    else { return nil }
    self.init(
      status: HCIErrorCode(rawValue: status), handle: handle, advertisingSet: advertisingSet,
      address: address, phy: PHY(rawValue: phy), interval: interval, clockAccuracy: accuracy)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(status.rawValue)
    writer.write(handle)
    writer.write(advertisingSet)
    address.write(to: &writer)
    writer.write(phy.rawValue)
    writer.write(interval)
    writer.write(clockAccuracy)
  }
}

/// A part of the data of a periodic advertising train: Core Specification, Vol 4, Part E, 7.7.65.15.
public struct LEPeriodicAdvertisingReport: ~Escapable {
  /// The most data of one report: an event has at most 255 bytes, and 8 of them are not data.
  public static let longestPart = 247

  /// The handle of the synchronization.
  public var handle: UInt16
  /// The transmit power in dBm; 127 if unknown.
  public var txPower: Int8
  /// The signal strength in dBm; 127 if unknown.
  public var rssi: Int8
  /// Whether the data is all of it.
  public var completeness: AdvertisingReport.Completeness
  /// A part of the data.
  public var data: Span<UInt8>

  /// Creates a report with these parameters.
  @_lifetime(copy data) public init(
    handle: UInt16, txPower: Int8 = LESetExtendedAdvertisingParameters.anyPower, rssi: Int8,
    completeness: AdvertisingReport.Completeness, data: Span<UInt8>
  ) {
    self.handle = handle
    self.txPower = txPower
    self.rssi = rssi
    self.completeness = completeness
    self.data = data
  }

  /// Reads the parameters; `nil` if they are too short.
  @_lifetime(copy reader) public init?(_ reader: inout ByteReader) {
    guard let handle = reader.readUInt16(), let txPower = reader.readInt8(),
      let rssi = reader.readInt8(),
      // The kind of the Constant Tone Extension.
      reader.readUInt8() != nil, let status = reader.readUInt8(),
      let length = reader.readUInt8(), let data = reader.readBytes(Int(length))
    else { return nil }
    self.init(
      handle: handle, txPower: txPower, rssi: rssi,
      completeness: AdvertisingReport.Completeness(rawValue: status) ?? .truncated, data: data)
  }

  /// Writes the parameters after the subevent.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle)
    writer.write(txPower)
    writer.write(rssi)
    // No Constant Tone Extension.
    writer.write(UInt8(0xFF))
    writer.write(completeness.rawValue)
    writer.write(UInt8(truncatingIfNeeded: data.count))
    writer.write(data)
  }
}

/// No packet of a train was received for the time-out, and the synchronization has ended. Core
/// Specification, Vol 4, Part E, 7.7.65.16.
public struct LEPeriodicAdvertisingSyncLost: LEMetaEvent, Equatable {
  /// The LE Meta subevent.
  public static let subevent = LEMetaSubevent.periodicAdvertisingSyncLost

  /// The handle of the synchronization.
  public var handle: UInt16

  /// Creates an event for this synchronization.
  public init(handle: UInt16) { self.handle = handle }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = reader.readUInt16() else { return nil }
    self.handle = handle
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) { writer.write(handle) }
}
