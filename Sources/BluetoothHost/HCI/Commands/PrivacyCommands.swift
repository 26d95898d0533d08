/// Adds a device to the resolving list, in network privacy mode:
/// Core Specification, Vol 4, Part E, 7.8.38.
public struct LEAddDeviceToResolvingList: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leAddDeviceToResolvingList

  /// The device's identity address.
  public var peer: DeviceAddress
  /// The identity resolving key of its private addresses; zeros if it has none.
  public var peerKey: Number128
  /// The identity resolving key for this device's private addresses towards it; zeros for none.
  public var localKey: Number128

  /// Creates a command with these parameters.
  public init(peer: DeviceAddress, peerKey: Number128, localKey: Number128) {
    self.peer = peer
    self.peerKey = peerKey
    self.localKey = localKey
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let peer = DeviceAddress(&reader), let peerKey = Number128(&reader),
      let localKey = Number128(&reader)
    else { return nil }
    self.init(peer: peer, peerKey: peerKey, localKey: localKey)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    peer.write(to: &writer)
    peerKey.write(to: &writer)
    localKey.write(to: &writer)
  }
}

/// Starts or stops address resolution. Core Specification, Vol 4, Part E, 7.8.44. Refused while the
/// controller advertises, scans or initiates.
public struct LESetAddressResolutionEnable: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetAddressResolutionEnable

  /// 0x00 off; 0x01 on.
  public var enable: UInt8

  /// Creates a command with these parameters.
  public init(enable: UInt8) { self.enable = enable }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let enable = reader.readUInt8() else { return nil }
    self.init(enable: enable)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) { writer.write(enable) }
}

/// Sets how long the controller uses a private address before it generates the next one:
/// Core Specification, Vol 4, Part E, 7.8.45.
public struct LESetResolvablePrivateAddressTimeout: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetResolvablePrivateAddressTimeout
  /// The values that a controller accepts, in seconds.
  public static var range: ClosedRange<UInt16> { 0x0001...0x0E10 }

  /// In seconds, 1 to 3,600; 900 after a reset.
  public var timeout: UInt16

  /// Creates a command with these parameters.
  public init(timeout: UInt16) { self.timeout = timeout }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let timeout = reader.readUInt16() else { return nil }
    self.init(timeout: timeout)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) { writer.write(timeout) }
}

/// Sets whether a device in the resolving list with a key may also use its identity address:
/// Core Specification, Vol 4, Part E, 7.8.77.
public struct LESetPrivacyMode: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetPrivacyMode

  /// The device's identity address.
  public var peer: DeviceAddress
  /// 0x00, network privacy: only its private addresses are accepted; 0x01, device privacy: both
  /// are.
  public var mode: UInt8

  /// Creates a command with these parameters.
  public init(peer: DeviceAddress, mode: UInt8) {
    self.peer = peer
    self.mode = mode
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let peer = DeviceAddress(&reader), let mode = reader.readUInt8() else { return nil }
    self.init(peer: peer, mode: mode)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    peer.write(to: &writer)
    writer.write(mode)
  }
}

/// Adds a device to the filter accept list. Core Specification, Vol 4, Part E, 7.8.16. Refused
/// while the list is in use.
public struct LEAddDeviceToFilterAcceptList: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leAddDeviceToFilterAcceptList

  /// The device; with address resolution, its identity address.
  public var device: DeviceAddress

  /// Creates a command with these parameters.
  public init(device: DeviceAddress) { self.device = device }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) { device.write(to: &writer) }
}
