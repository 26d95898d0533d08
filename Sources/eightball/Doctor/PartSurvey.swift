import EightBall
import Linux
import LinuxPort

/// Whether a part on an I2C bus answers, found by one read that changes nothing in it.
struct PartSurvey: Equatable, Sendable {
  /// The part.
  var part: BusPart
  /// Why it cannot be used; `nil` if it can.
  var error: PartError?

  /// The part, with this error.
  init(_ part: BusPart, error: PartError?) {
    self.part = part
    self.error = error
  }

  /// Asks the part.
  init(of part: BusPart) {
    self.part = part
    var bus = I2CDevice(part.bus)
    do throws(I2CError) {
      guard let (register, expected) = part.model.identity else {
        _ = try bus.readByte(of: part.address)
        return
      }
      let identity: InlineArray<1, UInt8> = try bus.read(from: register, of: part.address)
      if identity[0] != expected { error = .wrongIdentity(identity[0]) }
    } catch {
      self.error = .bus(error)
    }
  }
}

extension PartModel {
  /// The register with its identity, and its value; `nil` if it has none.
  ///
  /// LIS3DH, data sheet rev. 2, 8.6; MPU-6050, register map rev. 4.2, 4.32.
  fileprivate var identity: (register: UInt8, value: UInt8)? {
    switch self {
    case .lis3dh: (0x0F, 0x33)
    case .mpu6050: (0x75, 0x68)
    case .ssd1306, .hd44780: nil
    }
  }
}

extension Checkup {
  /// The motion sensor and the display, if the board has them.
  func partFindings(of board: BoardDescription) -> [Finding] {
    guard !board.isVirtual else {
      return BoardPart.allCases.filter { board[onBus: $0] != nil }.map {
        Finding(.ok, "\($0)", "simulated by the program")
      }
    }
    return machine.parts.map { survey in
      let subject = "\(survey.part.model.part)"
      guard let error = survey.error else {
        let place = String(writing: { survey.part.writePlace(to: &$0) })
        return Finding(.ok, subject, "\(survey.part.model.name) answers at \(place)")
      }
      let message = PartMessage(survey.part, error)
      // This user may not look, but the running service would report a problem.
      let isOurs = isServiceRunning && [.noPermission, .notInGroup].contains(message.cause)
      func text(_ template: MessageTemplate) -> String {
        String(writing: { message.write(template, to: &$0) })
      }
      return Finding(
        isOurs ? .note : .wrong, subject, text(message.cause.reason),
        remedy: message.cause.remedy.map(text))
    }
  }
}
