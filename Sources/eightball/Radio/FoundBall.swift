import BluetoothHost
import EightBall

/// The attributes of a ball, as far as they were found.
struct FoundBall {
  /// The handles of its service.
  var service: AttributeHandleRange?
  var question: RemoteCharacteristic?
  var answer: RemoteCharacteristic?
  /// The last handle of the answer's descriptors.
  var answerEnd: AttributeHandle?
  /// The answer's Client Characteristic Configuration.
  var configuration: AttributeHandle?

  /// The handles of the answer's descriptors; `nil` if there are none.
  var descriptors: AttributeHandleRange? {
    guard let answer, let end = answerEnd ?? service?.end, answer.value < end else { return nil }
    return AttributeHandleRange(
      start: AttributeHandle(rawValue: answer.value.rawValue + 1), end: end)
  }

  /// How to subscribe to the answer; `nil` if that is impossible.
  var subscription: ClientConfiguration? {
    guard let properties = answer?.properties else { return nil }
    if properties.contains(.notify) { return .notification }
    return properties.contains(.indicate) ? .indication : nil
  }

  mutating func note(_ characteristic: RemoteCharacteristic) {
    if let answer, answerEnd == nil, characteristic.declaration > answer.value {
      answerEnd = AttributeHandle(rawValue: characteristic.declaration.rawValue - 1)
    }
    switch characteristic.uuid {
    case .question: question = question ?? characteristic
    case .answer: answer = answer ?? characteristic
    default: break
    }
  }
}
