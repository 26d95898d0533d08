import BluetoothHost
import EightBall
import Linux

@testable import eightball

// The program compares no descriptions, and would be larger with synthesized operators.
extension PeripheralDescription: Equatable {
  /// Whether both have the same fields.
  public static func == (left: Self, right: Self) -> Bool { "\(left)" == "\(right)" }
}

extension PeripheralDescription {
  /// A peripheral with any of what a file can say.
  init(from source: inout RandomSource) {
    self.init()
    name = source.pick(["Heart Rate", "#1", "Ünïcode “€”", "\"quoted\"", " blanks "])
    if source.isHit(2) { address = source.pick([.public, .random, .fixed(Self.fixedAddress)]) }
    appearance = source.pick([0, 0x0341])
    // Beside a long name, or another scan response, two of 128 bits have no room.
    if source.isHit(2) {
      advertised = (0..<(name.utf8.count > 11 ? 1 : 2)).map { _ in source.uuid() }
    }
    // Services of 128 bits leave no room for it.
    if source.isHit(4), advertised.isEmpty {
      manufacturer = source.bytes(2 + Int(source.next(below: 8)))
    }
    if source.isHit(4) { advertisement = source.bytes(Int(source.next(below: 32))) }
    if source.isHit(4), advertised.count < 2 {
      scanResponse = source.bytes(Int(source.next(below: 32)))
    }
    interval = source.pick([100, 20, 1_000, 1_285])
    connections = 1 + Int(source.next(below: 4))
    faults = source.faults()
    if source.isHit(4) { faults.drop = 1 + source.next(below: 9) }
    if source.isHit(4) { faults.vanish = 1 + source.next(below: 99_999) }
    for number in 0..<source.next(below: 6) {
      var service = PeripheralService(label: "s\(number + 1)", uuid: source.uuid())
      service.isPrimary = !source.isHit(4)
      if number > 0, source.isHit(3) { service.includes = [PeripheralInclude(label: "s1")] }
      for index in 0..<source.next(below: 5) {
        service.characteristics.append(source.characteristic("c\(index + 1)", of: service.label))
      }
      services.append(service)
    }
    let hasEnd = source.isHit(2)
    if source.isHit(2) {
      services.insert(contentsOf: Self.implied(beside: services), at: 0)
    } else if source.isHit(2) {
      services += Self.implied(beside: services)
    }
    // Every tenth attribute is after a gap.
    var last: UInt16 = 0
    assignHandles { _ in
      guard source.isHit(10) else { return nil }
      last = max(last, 300) + 200
      return last
    } report: { _, _ in
    }
    if hasEnd, let index = services.indices.last { services[index].end = 0xFFFF }
    if let service = services.first(where: { $0.label == "s1" }),
      let first = service.characteristics.first, ValueField.bytes(of: first.value).count < 200,
      source.isHit(2)
    {
      train = try? PeripheralTrain("1500 ms: s1.\(first.label)")
    }
  }

  private static let fixedAddress: DeviceAddress = {
    guard case .fixed(let address)? = try? AddressChoice("C0:00:00:00:00:01") else { return .zero }
    return address
  }()
}

extension RandomSource {
  fileprivate mutating func isHit(_ one: UInt32) -> Bool { next(below: one) == 0 }

  fileprivate mutating func pick<Item>(_ items: [Item]) -> Item {
    items[Int(next(below: UInt32(items.count)))]
  }

  fileprivate mutating func uuid() -> BluetoothUUID {
    isHit(2)
      ? BluetoothUUID(UInt16(0x1900 + next(below: 0x1000)))
      : BluetoothUUID(high: UInt64(next()) << 32 | UInt64(next()), low: UInt64(next()))
  }

  fileprivate mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  fileprivate mutating func value() -> [ValueField] {
    (0..<next(below: 4)).map { _ in
      switch next(below: 3) {
      case 0: return .text(pick(["", "a, \"b\" # c", "\n\\x", "Grüße"]))
      case 1: return .bytes(bytes(1 + Int(next(below: 30))))
      default:
        let number = Int(next(below: 100))
        let format = NumberFormat(
          pick(["uint8", "sint24", "uint64", "sint16e-2", "medfloat16", "medfloat32"]))
        guard let format else { return .bytes([0]) }
        return .number(DecimalNumber(number, exponent: format.exponent), format)
      }
    }
  }

  fileprivate mutating func faults() -> PeripheralFaults {
    var faults = PeripheralFaults()
    if isHit(5) { faults.delay = 1 + next(below: 2_000) }
    if isHit(5) { faults.refusal = UInt8(1 + next(below: 255)) }
    faults.isShort = isHit(5)
    return faults
  }

  fileprivate mutating func security() -> AttributeProtection {
    pick([.none, .none, .readEncrypted, .writeAuthenticated | .updateEncrypted])
  }

  fileprivate mutating func characteristic(
    _ label: String, of service: String
  ) -> PeripheralCharacteristic {
    var new = PeripheralCharacteristic(
      label: label, uuid: uuid(), properties: GATTProperties(rawValue: UInt8(1 + next(below: 255))))
    new.security = security()
    new.value = value()
    new.faults = faults()
    if let field = new.value.lastIndex(where: { $0.isNumber }), isHit(2) {
      let courses: [Timeline.Course] = [
        .constant, .list([DecimalNumber(1), DecimalNumber(20)]),
        .ramp(DecimalNumber(1), DecimalNumber(9), by: DecimalNumber(2)),
        .walk(DecimalNumber(0), DecimalNumber(50), by: DecimalNumber(1)),
        .csv(file: "a b.csv", column: "rate"),
      ]
      let course = pick(courses)
      new.timeline = Timeline(period: 1 + next(below: 5_000), field: field + 1, course: course)
    }
    if isHit(3) {
      new.answer = WriteAnswer(
        delay: isHit(2) ? 200 : 0, error: isHit(3) ? 0x80 : nil, sets: true,
        echoes: isHit(2) ? ["\(service).\(label)"] : [], notifies: isHit(2) ? ["\(service).c1"] : []
      )
    }
    if new.isSubscribable, !isHit(6) { new.descriptors.append(.configuration(at: 0)) }
    for number in 0..<next(below: 3) {
      var descriptor = PeripheralDescriptor(
        label: number == 0 && isHit(2) ? "description" : "d\(number + 1)",
        uuid: isHit(2) ? .characteristicUserDescription : uuid())
      descriptor.value = value()
      descriptor.security = security()
      if isHit(4) { descriptor.properties = .read | .write }
      let isFirst = isHit(3)
      new.descriptors.insert(descriptor, at: isFirst ? 0 : new.descriptors.count)
    }
    return new
  }
}
