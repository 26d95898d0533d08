import BluetoothHost

extension RadioFault {
  /// What happened to the controller, for people: the end of a sentence, without a full stop.
  package var text: String {
    switch self {
    case .unanswered(let opcode):
      "the controller left command \(PacketDescription.hexadecimal(opcode.rawValue)) unanswered"
    case .refused(let opcode, let code):
      "the controller refused command \(PacketDescription.hexadecimal(opcode.rawValue)) with error "
        + PacketDescription.hexadecimal(code.rawValue)
    case .hardwareError(let code):
      "the controller reported hardware error \(PacketDescription.hexadecimal(code))"
    case .stoppedAdvertising:
      "the controller stopped advertising by itself"
    case .lost:
      "the way to the controller is gone"
    }
  }
}
