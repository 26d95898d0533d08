import BluetoothHost

/// Prints the periodic advertising train of one device: each packet once, as a line for people or as an
/// object for programs.
struct TrainFollower {
  /// The device to follow.
  let target: CentralTarget
  private let isJSON: Bool
  private let print: (String) -> Void
  private let note: (String) -> Void

  /// The device, once its train is known.
  var device: NearbyDevice?
  /// Whether packets of the train are received.
  private var isFollowing = false
  /// Whether packets of the train were ever received.
  private(set) var hasFollowed = false

  init(
    of target: CentralTarget, isJSON: Bool, print: @escaping (String) -> Void = Terminal.print,
    note: @escaping (String) -> Void = Terminal.note
  ) {
    self.target = target
    self.isJSON = isJSON
    self.print = print
    self.note = note
  }

  /// The train is received, with this interval in milliseconds.
  mutating func begins(_ phy: PHY, _ interval: UInt32) {
    isFollowing = true
    hasFollowed = true
    guard isJSON else {
      return note("Following \(name), every \(timeText(interval)) on \(Self.text(of: phy)).")
    }
    var line = JSONLine(event: "following")
    line.add("name", device?.name)
    line.add("address", device?.address)
    line.add("interval", Int(interval))
    line.add("phy", Self.text(of: phy))
    print(line.text)
  }

  /// A packet was received.
  func received(_ report: TrainReport) {
    let parts = TrainData(report.data)
    guard isJSON else {
      let rssi = report.rssi.map { strength($0) } ?? "? dBm"
      return print("\(rssi)  \(parts.text)\(report.isComplete ? "" : "  (incomplete)")")
    }
    var line = JSONLine(event: "periodic")
    line.add("address", device?.address)
    line.add("rssi", report.rssi)
    line.add("complete", report.isComplete)
    line.add("services", texts: parts.services.map(\.uuid.text))
    line.add("values", texts: parts.services.map { hexadecimalText($0.value, separator: "") })
    line.add("data", hexadecimalText(report.data, separator: ""))
    print(line.text)
  }

  /// The train is lost, or was not received. The program looks for it again.
  mutating func ends() {
    guard isFollowing else { return }
    isFollowing = false
    guard isJSON else { return note("Lost \(name). Looking for it…") }
    var line = JSONLine(event: "lost")
    line.add("address", device?.address)
    print(line.text)
  }

  private var name: String {
    device?.name.map { "“\(printable($0))”" } ?? device?.address.text ?? target.text
  }

  private static func text(of phy: PHY) -> String {
    switch phy {
    case .le2M: "2M"
    case .leCoded: "coded"
    default: "1M"
    }
  }
}

/// The data of a train, as advertising data: Core Specification, Vol 3, Part C, 11.
struct TrainData {
  /// The data of services, in their order.
  private(set) var services: [(uuid: BluetoothUUID, value: [UInt8])] = []
  /// The data for people: that of services by their names, and what else there is by its type.
  private(set) var text = ""

  init(_ data: [UInt8]) {
    var reader = ByteReader(data.span)
    while let length = reader.readUInt8(), length > 0, let type = reader.readUInt8(),
      let value = reader.readBytes(Int(length) - 1)
    {
      add(AdvertisingDataType(rawValue: type), value)
    }
    if text.isEmpty { text = data.isEmpty ? "empty" : hexadecimalText(data) }
  }

  private mutating func add(_ type: AdvertisingDataType, _ bytes: Span<UInt8>) {
    var reader = ByteReader(bytes)
    let length: Int? =
      switch type {
      case .serviceData16: 2
      case .serviceData32: 4
      case .serviceData128: 16
      default: nil
      }
    if !text.isEmpty { text += "; " }
    guard let length, let uuid = BluetoothUUID(advertised: &reader, byteCount: length) else {
      text += "type \(byteText(type.rawValue)): \(hexadecimalText([UInt8](bytes)))"
      return
    }
    let value = [UInt8](reader.readRemaining())
    services.append((uuid, value))
    text += uuid.text + (uuid.assignedName.map { " \($0)" } ?? "") + ": " + hexadecimalText(value)
  }
}
