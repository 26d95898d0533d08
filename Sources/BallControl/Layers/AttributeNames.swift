import BluetoothHost
import EightBall

/// The names of a ball's attributes by handle.
package struct AttributeNames {
  /// Where a central writes its question.
  let question: AttributeHandle
  /// Where a central reads the answer or is notified of it.
  let answer: AttributeHandle
  /// The answer's Client Characteristic Configuration.
  let answerConfiguration: AttributeHandle

  private struct AttributeLine {
    var name: String
    /// Whether its value is a text for people.
    var isText: Bool
  }

  private let lines: [AttributeLine]

  /// The names of `EightBallProfile.makeDatabase()`, or no names for another device.
  init(ofBall: Bool = true) {
    guard ofBall else {
      (question, answer, answerConfiguration, lines) = (.none, .none, .none, [])
      return
    }
    let database = EightBallProfile.makeDatabase()
    question = database.location(of: .question).handle
    answer = database.location(of: .answer).handle
    let attributes = database.attributes
    var configuration = AttributeHandle.none
    var lines: [AttributeLine] = []
    var characteristic = ""
    for index in attributes.indices {
      let attribute = attributes[index]
      let handle = AttributeHandle(rawValue: UInt16(index + 1))
      switch attribute.value {
      case .service(let uuid):
        lines.append(AttributeLine(name: "service " + Self.name(of: uuid), isText: false))
      case .characteristic(let uuid):
        characteristic = Self.name(of: uuid)
        lines.append(AttributeLine(name: "declaration of " + characteristic, isText: false))
      case .clientConfiguration:
        lines.append(
          AttributeLine(name: "\(characteristic): \(Self.name(of: attribute.type))", isText: false))
        if lines.count == answer.rawValue + 1 { configuration = handle }
      case .text, .deviceName:
        lines.append(AttributeLine(name: characteristic, isText: true))
      case .vacant:
        lines.append(AttributeLine(name: Self.unknown(handle), isText: false))
      default:
        lines.append(AttributeLine(name: characteristic, isText: false))
      }
    }
    answerConfiguration = configuration
    self.lines = lines
  }

  /// A name such as "Question", "Answer: Client Characteristic Configuration" or "declaration of
  /// Answer"; the number of a handle that the ball does not have.
  subscript(_ handle: AttributeHandle) -> String {
    let index = Int(handle.rawValue) - 1
    return lines.indices.contains(index) ? lines[index].name : Self.unknown(handle)
  }

  /// Whether the value at `handle` is a text for people, such as the device's name.
  func isText(_ handle: AttributeHandle) -> Bool {
    let index = Int(handle.rawValue) - 1
    return lines.indices.contains(index) && lines[index].isText
  }

  /// A range of handles, such as "0x0001 to 0xFFFF".
  static func text(_ range: AttributeHandleRange) -> String {
    let start = PacketDescription.hexadecimal(range.start.rawValue)
    return start + " to " + PacketDescription.hexadecimal(range.end.rawValue)
  }

  private static func unknown(_ handle: AttributeHandle) -> String {
    "handle " + PacketDescription.hexadecimal(handle.rawValue)
  }

  /// The name of an attribute type or a service, as in Assigned Numbers, 3.4 to 3.8.
  static func name(of uuid: BluetoothUUID) -> String { known(uuid) ?? unassigned(uuid) }

  /// The name of an attribute type or a service; `nil` if there is none.
  package static func known(_ uuid: BluetoothUUID) -> String? {
    switch uuid {
    case .ballService: "Magic 8-Ball"
    case .question: "Question"
    case .answer: "Answer"
    case .clientSupportedFeatures: "Client Supported Features"
    case .databaseHash: "Database Hash"
    case .serverSupportedFeatures: "Server Supported Features"
    default: uuid.assignedName?.description
    }
  }

  private static func unassigned(_ uuid: BluetoothUUID) -> String {
    uuid.short.map { "type " + PacketDescription.hexadecimal($0) } ?? "an unknown type of 128 bits"
  }
}
