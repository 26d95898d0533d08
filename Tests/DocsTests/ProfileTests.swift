import BallTestSupport
import BluetoothHost
import EightBall
import Expectations
import LinuxRadio
import LinuxTestSupport

@Suite("docs/gatt-profile.md")
struct ProfileTests {
  private let document: Document

  init() throws { document = try Document("docs/gatt-profile.md") }

  @Test("The page has the handle, type, properties and value of each attribute")
  func attributes() throws {
    let client = Client()
    let found = client.descriptors(in: .all)
    let rows = document.rows(under: "## The database")
    expect(rows.count, is: found.count)
    var properties: GATTProperties?
    for (row, attribute) in zip(rows, found) {
      let location = "\(document.path), \(row[0])"
      expect(row[0], is: "0x" + hexadecimal(attribute.handle.rawValue), "\(location): the handle")
      expect(row[1], is: text(of: attribute.uuid), "\(location): the type")
      if let properties {
        expect(row[3], is: names(of: properties), "\(location): what may be done with it")
      }
      let value = client.read(attribute.handle)
      switch value {
      case .success(let bytes):
        expect(
          row[4].hasPrefix("`\(hexadecimal(bytes))`") || bytes.isEmpty, "\(location): the value")
      case .failure(let code):
        expect(code, is: .readNotPermitted)
        expect(!row[4].hasPrefix("`"), "\(location) cannot be read")
      }
      let isDeclaration = attribute.uuid == .characteristic
      properties =
        isDeclaration ? (try? value.get().first).map { GATTProperties(rawValue: $0) } : nil
    }
  }

  @Test("The page has the number, slug and text of each answer")
  func answers() throws {
    let rows = document.rows(under: "## The twenty answers")
    expect(rows.count, is: Int(Answer.count))
    for (number, row) in rows.enumerated() {
      let answer = try #require(Answer(rawValue: UInt8(number)))
      expect(row[1], is: "`\(written(answer, .slug))`")
      expect(row[2], is: written(answer, .text))
    }
  }

  @Test("The page has the error of each refusal")
  func errors() throws {
    let client = Client()
    let question = AttributeHandle(rawValue: 0x001D)
    let answer = AttributeHandle(rawValue: 0x001F)
    let configuration = AttributeHandle(rawValue: 0x0020)
    let mark = UInt8(ascii: "?")
    let codes: [(String, ATTErrorCode?)] = [
      ("Text that does not end in `?`", client.write(question, Array("It will rain.".utf8))),
      ("Bytes that are not UTF-8", client.write(question, [0xFF, 0xFE, mark])),
      ("More than 512 bytes", client.writeRaw(question, [UInt8](repeating: mark, count: 513))),
      ("A read of Question", client.read(question).failure),
      ("A write to Answer", client.write(answer, [mark])),
      ("A configuration of other than 2 bytes", client.write(configuration, [1])),
      ("A configuration for indications", client.write(configuration, [2, 0])),
      ("A handle above 0x0020", client.read(AttributeHandle(rawValue: 0x0021)).failure),
    ]
    let rows = document.rows(under: "## Errors")
    expect(rows.map { $0[0] }, is: codes.map { $0.0 })
    for (row, (name, code)) in zip(rows, codes) {
      expect(row[1], is: code.map { "0x" + hexadecimal($0.rawValue) }, "\(name)")
    }
  }
}

/// A central that does one thing at a time and waits for the outcome.
private final class Client {
  private let visit = Visit { Phone(on: $0) }
  private var central: Phone { visit.central }

  /// Connects to a ball, and agrees on the longest MTU.
  init() {
    visit.begin()
    central.connect(
      to: DeviceAddress(kind: .public, bytes: [0x01, 0, 0, 0, 0, 0xF0]), at: Instant(rawValue: 0))
    _ = perform(.exchangeMTU)
  }

  func descriptors(in range: AttributeHandleRange) -> [RemoteDescriptor] {
    guard case .success(.descriptors(let found)) = perform(.discoverDescriptors(range)) else {
      return []
    }
    return found
  }

  func read(_ handle: AttributeHandle) -> Result<[UInt8], ATTErrorCode> {
    switch perform(.read(handle)) {
    case .success(.value(let value)): .success(value)
    case .failure(.refused(let response)): .failure(response.code)
    default: .failure(.unlikelyError)
    }
  }

  /// The error that a write is refused with; `nil` if it is not.
  func write(_ handle: AttributeHandle, _ value: [UInt8]) -> ATTErrorCode? {
    let operation = ClientOperation.write(handle, byteCount: value.count)
    guard case .failure(.refused(let response)) = perform(operation, value) else { return nil }
    return response.code
  }

  private func perform(_ operation: ClientOperation, _ value: [UInt8] = []) -> Phone.Outcome? {
    let number = central.perform(operation, value: value)
    visit.carry()
    return central.outcomes[number]
  }

  /// Writes what a central that keeps to the rules does not: values of more than 512 bytes.
  func writeRaw(_ handle: AttributeHandle, _ value: [UInt8]) -> ATTErrorCode? {
    let request = [ATTOpcode.writeRequest.rawValue, UInt8(handle.rawValue), 0] + value
    guard let answer = visit.answer(of: request), let code = answer.last,
      answer.first == ATTOpcode.errorResponse.rawValue
    else { return nil }
    return ATTErrorCode(rawValue: code)
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

private func text(of uuid: BluetoothUUID) -> String {
  if let short = uuid.short { return hexadecimal(short) }
  let all = Array(hexadecimal(uuid.high) + hexadecimal(uuid.low))
  return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(all[$0]) }.joined(separator: "-")
}

private func names(of properties: GATTProperties) -> String {
  let names: [(GATTProperties, String)] = [
    (.read, "read"), (.writeWithoutResponse, "write without response"), (.write, "write"),
    (.notify, "notify"), (.indicate, "indicate"),
  ]
  return names.filter { properties.contains($0.0) }.map(\.1).joined(separator: ", ")
}

private func written(_ answer: Answer, _ style: AnswerFormat) -> String {
  String(writing: { answer.write(style, to: &$0) })
}
