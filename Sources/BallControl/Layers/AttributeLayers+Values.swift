import BallRunner
import BluetoothHost
import EightBall

/// PDUs that carry the value of an attribute, request it, or refuse the request.
extension AttributeLayers {
  /// The lengths, in bytes, of the opcode, and of the opcode with a handle.
  private static let opcodeLength = 1
  private static let handleLength = opcodeLength + 2

  /// A value that is written, notified or indicated.
  static func addValue(
    _ opcode: ATTOpcode, _ reader: consuming ByteReader, _ names: AttributeNames,
    to stack: inout LayerStack
  ) -> Bool {
    guard let pdu = AttributeValue(reader) else { return false }
    stack.add(.att, handleLength, PacketDescription.name(of: opcode))
    let isWrite = opcode == .writeRequest || opcode == .writeCommand
    let isUpdate = opcode == .handleValueNotification || opcode == .handleValueIndication
    switch pdu.handle {
    case names.question where isWrite:
      stack.add(.gatt, 0, names[pdu.handle])
      stack.add(.ball, pdu.value.count, question(pdu.value))
    case names.answer where isUpdate:
      stack.add(.gatt, 0, names[pdu.handle])
      stack.add(.ball, pdu.value.count, answer(pdu.value))
    case names.answerConfiguration where isWrite:
      stack.add(.gatt, pdu.value.count, names[pdu.handle])
      var value = ByteReader(pdu.value)
      guard let flags = value.readUInt16() else { break }
      let listens = ClientConfiguration(rawValue: flags).contains(.notification)
      stack.add(.ball, 0, listens ? "subscribes to answers" : "unsubscribes")
    default:
      addPlain(pdu.value, of: pdu.handle, names, to: &stack)
    }
    return true
  }

  /// A request to read one or several values.
  static func addReading(
    _ opcode: ATTOpcode, _ reader: consuming ByteReader, _ names: AttributeNames,
    to stack: inout LayerStack
  ) -> Bool {
    let count = opcodeLength + reader.count
    let text: String
    switch opcode {
    case .readRequest:
      guard let pdu = ReadRequest(&reader) else { return false }
      text = names[pdu.handle]
    case .readBlobRequest:
      guard let pdu = ReadBlobRequest(&reader) else { return false }
      text = names[pdu.handle] + from(Int(pdu.offset))
    default:
      guard var pdu = ReadMultipleRequest(reader) else { return false }
      var found: [String] = []
      while let handle = pdu.next() { found.append(names[handle]) }
      text = found.joined(separator: ", ")
    }
    stack.add(.att, count, PacketDescription.name(of: opcode))
    stack.add(.gatt, 0, text)
    return true
  }

  /// The value in the response to `request`.
  func addRead(
    _ opcode: ATTOpcode, _ reader: consuming ByteReader, of request: Request?,
    _ names: AttributeNames, to stack: inout LayerStack
  ) -> Bool {
    stack.add(.att, Self.opcodeLength, PacketDescription.name(of: opcode))
    let value = reader.readRemaining()
    guard let request, request.handle != .none else {
      stack.add(.gatt, value.count, "the value of an attribute whose request was not seen")
      return true
    }
    if request.handle == names.answer {
      stack.add(.gatt, 0, names[request.handle] + Self.from(request.offset))
      stack.add(.ball, value.count, Self.answer(value))
    } else {
      Self.addPlain(value, of: request.handle, from: request.offset, names, to: &stack)
    }
    return true
  }

  /// A part of a long write, or the execution of all parts.
  mutating func addPart(
    _ opcode: ATTOpcode, _ reader: consuming ByteReader, _ names: AttributeNames,
    to stack: inout LayerStack
  ) -> Bool {
    let name = PacketDescription.name(of: opcode)
    if opcode == .executeWriteRequest {
      guard let pdu = ExecuteWriteRequest(&reader) else { return false }
      stack.add(.att, Self.opcodeLength + 1, name)
      if !preparedQuestion.isEmpty {
        let text = pdu.writes ? Self.question(preparedQuestion.span) : "cancels the question"
        stack.add(.ball, 0, text)
      }
      preparedQuestion.removeAll()
      return true
    }
    guard let pdu = PrepareWrite(reader) else { return false }
    stack.add(.att, Self.handleLength + 2, name)
    stack.add(.gatt, pdu.value.count, names[pdu.handle] + Self.from(Int(pdu.offset)))
    guard opcode == .prepareWriteRequest, pdu.handle == names.question else { return true }
    // The ball refuses parts that are out of order.
    preparedQuestion.removeLast(max(0, preparedQuestion.count - Int(pdu.offset)))
    // One byte more than fits shows that the question is too long.
    for index in pdu.value.indices where preparedQuestion.count <= QuestionRule.maximumLength {
      preparedQuestion.append(pdu.value[index])
    }
    return true
  }

  /// A request was refused.
  func addError(
    _ reader: consuming ByteReader, _ names: AttributeNames, to stack: inout LayerStack
  ) -> Bool {
    guard let pdu = ErrorResponse(&reader) else { return false }
    let error = PacketDescription.name(of: pdu.code)
    // The opcode and four bytes.
    stack.add(.att, Self.opcodeLength + 4, "Error Response: \(error)")
    if pdu.code == .attributeNotFound {
      stack.add(
        .gatt, 0, "nothing more from \(PacketDescription.hexadecimal(pdu.handle.rawValue)) on")
    } else if pdu.handle != .none {
      stack.add(.gatt, 0, names[pdu.handle])
    }
    let isWrite = pdu.request == .writeRequest || pdu.request == .executeWriteRequest
    guard isWrite, pdu.handle == names.question, let error = Self.questionError(pdu.code) else {
      return true
    }
    stack.add(.ball, 0, "refused: \(error.words)")
    return true
  }

  // MARK: Texts

  /// The value of an attribute without a text of its own.
  private static func addPlain(
    _ value: Span<UInt8>, of handle: AttributeHandle, from offset: Int = 0, _ names: AttributeNames,
    to stack: inout LayerStack
  ) {
    stack.add(.gatt, value.count, text(value, of: handle, from: offset, names))
  }

  /// The attribute's name, and its value if that is a text.
  static func text(
    _ value: Span<UInt8>, of handle: AttributeHandle, from offset: Int = 0, _ names: AttributeNames
  ) -> String {
    let name = names[handle] + from(offset)
    return names.isText(handle) ? "\(name): \(quoted(value))" : name
  }

  private static func question(_ text: Span<UInt8>) -> String {
    switch QuestionRule.error(in: text) {
    case nil: "Question \(quoted(text))"
    case let error?: "\(error.words): \(quoted(text))"
    }
  }

  private static func answer(_ text: Span<UInt8>) -> String {
    text.isEmpty ? "no answer yet" : "Answer \(quoted(text))"
  }

  private static func questionError(_ code: ATTErrorCode) -> QuestionError? {
    let errors: [QuestionError] = [.statement, .notUTF8, .tooLong]
    return errors.first { $0.code == code }
  }

  private static func from(_ offset: Int) -> String {
    offset == 0 ? "" : ", from byte \(offset) on"
  }

  /// A text from the air in quotation marks, without scalars that control a terminal.
  private static func quoted(_ utf8: Span<UInt8>) -> String {
    "“\(String(printable: utf8))”"
  }
}
