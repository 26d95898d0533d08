/// One to five CIDs in a signalling command, or none in a response that opens no channel.
/// Core Specification, Vol 3, Part A, 4.25.
public struct ChannelList: Equatable, Sendable {
  /// How many channels one command can name.
  public static var capacity: Int { 5 }

  private var values = InlineArray<5, UInt16>(repeating: 0)
  /// How many CIDs there are.
  public private(set) var count = 0

  /// No CIDs.
  public init() {}

  /// Reads CIDs to the end; `nil` for a part of one, and for more than five.
  init?(_ reader: inout ByteReader) {
    guard reader.count & 1 == 0, reader.count <= 2 * Self.capacity else { return nil }
    while let cid = reader.readUInt16() { append(L2CAPChannel(rawValue: cid)) }
  }

  /// The CID at `position`; 0 after the last.
  public subscript(position: Int) -> L2CAPChannel {
    get {
      L2CAPChannel(rawValue: position >= 0 && position < count ? values[position] : 0)
    }
    set { if position >= 0, position < count { values[position] = newValue.rawValue } }
  }

  /// Adds a CID. Does nothing after the fifth.
  public mutating func append(_ cid: L2CAPChannel) {
    guard count < Self.capacity else { return }
    values[count] = cid.rawValue
    count &+= 1
  }

  /// Whether a CID before `position` is the one there.
  func isRepeated(_ position: Int) -> Bool {
    for earlier in 0..<position where values[earlier] == values[position] { return true }
    return false
  }

  func write(to writer: inout ByteWriter) {
    for position in 0..<count { writer.write(values[position]) }
  }

  /// Whether both have the same CIDs in the same order.
  public static func == (left: ChannelList, right: ChannelList) -> Bool {
    guard left.count == right.count else { return false }
    for position in 0..<left.count where left.values[position] != right.values[position] {
      return false
    }
    return true
  }
}

/// Requests one to five channels. Core Specification, Vol 3, Part A, 4.25. The values are not
/// checked: a peer may send any.
public struct CreditBasedConnectionRequest: SignallingPDU {
  /// 0x17.
  public static var code: SignallingCode { .creditBasedConnectionRequest }

  /// The protocol or service of the channels, 0x0001 to 0x00FF.
  public var spsm: UInt16
  /// The longest SDU that the requesting device accepts, in bytes, on each channel.
  public var mtu: UInt16
  /// The longest K-frame payload that the requesting device accepts, in bytes.
  public var mps: UInt16
  /// How many K-frames the requesting device accepts initially on each channel.
  public var initialCredits: UInt16
  /// The channels' CIDs at the requesting device.
  public var sourceCIDs: ChannelList

  /// Creates a request with these parameters.
  public init(
    spsm: UInt16, mtu: UInt16, mps: UInt16, initialCredits: UInt16, sourceCIDs: ChannelList
  ) {
    self.spsm = spsm
    self.mtu = mtu
    self.mps = mps
    self.initialCredits = initialCredits
    self.sourceCIDs = sourceCIDs
  }

  /// 10, with one channel.
  public static var length: Int { 10 }

  /// 8, and 2 for each channel.
  public var dataLength: Int { 8 &+ 2 &* sourceCIDs.count }

  /// Reads the data to its end; `nil` if bytes are missing.
  public init?(_ reader: inout ByteReader) {
    guard let spsm = reader.readUInt16(), let mtu = reader.readUInt16(),
      let mps = reader.readUInt16(), let initialCredits = reader.readUInt16(),
      let sourceCIDs = ChannelList(&reader), sourceCIDs.count > 0
    else { return nil }
    self.init(
      spsm: spsm, mtu: mtu, mps: mps, initialCredits: initialCredits, sourceCIDs: sourceCIDs)
  }

  /// Writes the data.
  public func write(to writer: inout ByteWriter) {
    writer.write(spsm)
    writer.write(mtu)
    writer.write(mps)
    writer.write(initialCredits)
    sourceCIDs.write(to: &writer)
  }
}

/// Answers a request for one to five channels. Core Specification, Vol 3, Part A, 4.26. The values
/// are not checked: a peer may send any.
public struct CreditBasedConnectionResponse: SignallingPDU {
  /// 0x18.
  public static var code: SignallingCode { .creditBasedConnectionResponse }

  /// The longest SDU that the responding device accepts, in bytes, on each channel.
  public var mtu: UInt16
  /// The longest K-frame payload that the responding device accepts, in bytes.
  public var mps: UInt16
  /// How many K-frames the responding device accepts initially on each channel.
  public var initialCredits: UInt16
  /// Whether the channels are open, or the reason why all or some are not.
  public var result: LECreditBasedConnectionResult
  /// The channels' CIDs at the responding device, in the order of the request; 0 for a channel that
  /// is refused.
  public var destinationCIDs: ChannelList

  /// Creates a response with these parameters.
  public init(
    mtu: UInt16, mps: UInt16, initialCredits: UInt16, result: LECreditBasedConnectionResult,
    destinationCIDs: ChannelList
  ) {
    self.mtu = mtu
    self.mps = mps
    self.initialCredits = initialCredits
    self.result = result
    self.destinationCIDs = destinationCIDs
  }

  /// Creates a response that refuses `count` channels; all other fields are 0.
  public init(error: LECreditBasedConnectionResult, count: Int) {
    var none = ChannelList()
    for _ in 0..<count { none.append(L2CAPChannel(rawValue: 0)) }
    self.init(mtu: 0, mps: 0, initialCredits: 0, result: error, destinationCIDs: none)
  }

  /// 8, without a channel.
  public static var length: Int { 8 }

  /// 8, and 2 for each channel.
  public var dataLength: Int { 8 &+ 2 &* destinationCIDs.count }

  /// Reads the data to its end; `nil` if bytes are missing.
  public init?(_ reader: inout ByteReader) {
    guard let mtu = reader.readUInt16(), let mps = reader.readUInt16(),
      let initialCredits = reader.readUInt16(), let result = reader.readUInt16(),
      let destinationCIDs = ChannelList(&reader)
    else { return nil }
    self.init(
      mtu: mtu, mps: mps, initialCredits: initialCredits,
      result: LECreditBasedConnectionResult(rawValue: result), destinationCIDs: destinationCIDs)
  }

  /// Writes the data.
  public func write(to writer: inout ByteWriter) {
    writer.write(mtu)
    writer.write(mps)
    writer.write(initialCredits)
    writer.write(result.rawValue)
    destinationCIDs.write(to: &writer)
  }
}

/// Changes what the requesting device accepts on one to five channels that opened by
/// `CreditBasedConnectionRequest`. Core Specification, Vol 3, Part A, 4.27.
public struct CreditBasedReconfigureRequest: SignallingPDU {
  /// 0x19.
  public static var code: SignallingCode { .creditBasedReconfigureRequest }

  /// The longest SDU that the requesting device accepts from now on, in bytes.
  public var mtu: UInt16
  /// The longest K-frame payload that the requesting device accepts from now on, in bytes.
  public var mps: UInt16
  /// The channels' CIDs at the requesting device, to which the other one sends.
  public var destinationCIDs: ChannelList

  /// Creates a request with these parameters.
  public init(mtu: UInt16, mps: UInt16, destinationCIDs: ChannelList) {
    self.mtu = mtu
    self.mps = mps
    self.destinationCIDs = destinationCIDs
  }

  /// 6, with one channel.
  public static var length: Int { 6 }

  /// 4, and 2 for each channel.
  public var dataLength: Int { 4 &+ 2 &* destinationCIDs.count }

  /// Reads the data to its end; `nil` if bytes are missing.
  public init?(_ reader: inout ByteReader) {
    guard let mtu = reader.readUInt16(), let mps = reader.readUInt16(),
      let destinationCIDs = ChannelList(&reader), destinationCIDs.count > 0
    else { return nil }
    self.init(mtu: mtu, mps: mps, destinationCIDs: destinationCIDs)
  }

  /// Writes the data.
  public func write(to writer: inout ByteWriter) {
    writer.write(mtu)
    writer.write(mps)
    destinationCIDs.write(to: &writer)
  }
}

/// Answers a request for changes to channels: Core Specification, Vol 3, Part A, 4.28.
public struct CreditBasedReconfigureResponse: SignallingPDU {
  /// 0x1A.
  public static var code: SignallingCode { .creditBasedReconfigureResponse }

  /// Whether the changes apply.
  public var result: CreditBasedReconfigureResult

  /// Creates a response with this result.
  public init(result: CreditBasedReconfigureResult) { self.result = result }

  /// 2.
  public static var length: Int { 2 }

  /// Reads the data; `nil` if bytes are missing.
  public init?(_ reader: inout ByteReader) {
    guard let result = reader.readUInt16() else { return nil }
    self.init(result: CreditBasedReconfigureResult(rawValue: result))
  }

  /// Writes the data.
  public func write(to writer: inout ByteWriter) { writer.write(result.rawValue) }
}

/// The result of a request for changes to channels. Core Specification, Vol 3, Part A, 4.28. An
/// open set: a peer may send any value.
public struct CreditBasedReconfigureResult: RawRepresentable, Equatable, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt16

  /// Any value, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The changes apply.
  public static let success = CreditBasedReconfigureResult(rawValue: 0x0000)
  /// The MTU of a channel is longer than the new one.
  public static let mtuReduction = CreditBasedReconfigureResult(rawValue: 0x0001)
  /// The MPS of one of several channels is longer than the new one.
  public static let mpsReduction = CreditBasedReconfigureResult(rawValue: 0x0002)
  /// A CID is not that of such a channel.
  public static let invalidDestinationCID = CreditBasedReconfigureResult(rawValue: 0x0003)
  /// The MTU or the MPS is out of range.
  public static let unacceptableParameters = CreditBasedReconfigureResult(rawValue: 0x0004)
}
