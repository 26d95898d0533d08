import BluetoothHost

extension ControllerFault {
  /// What a peripheral's host says of its controller.
  public init(_ fault: RadioFault) {
    self =
      switch fault {
      case .hardwareError(let code): .hardwareError(code)
      case .unanswered(let opcode): .unanswered(opcode)
      case .refused(let opcode, let code): .refused(opcode, code)
      case .stoppedAdvertising: .stoppedAdvertising
      case .lost: .lost
      }
  }
}

extension ControllerFault: CustomStringConvertible {
  /// What it is, in words.
  public var description: String {
    switch self {
    case .unanswered(let opcode):
      "the controller left command \(Self.text(of: opcode)) unanswered"
    case .refused(let opcode, let code):
      "the controller refused command \(Self.text(of: opcode)) with error "
        + Self.hexadecimal(UInt16(code.rawValue), digits: 2)
    case .malformed(let opcode):
      "the controller's answer to command \(Self.text(of: opcode)) was malformed"
    case .hardwareError(let code):
      "the controller reported hardware error \(Self.hexadecimal(UInt16(code), digits: 2))"
    case .stoppedAdvertising:
      "the controller stopped advertising by itself"
    case .lost:
      "the way to the controller is gone"
    }
  }

  private static func text(of opcode: HCIOpcode) -> String {
    hexadecimal(opcode.rawValue, digits: 4)
  }

  private static func hexadecimal(_ number: UInt16, digits: Int) -> String {
    let text = String(number, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
