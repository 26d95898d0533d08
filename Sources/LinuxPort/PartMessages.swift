import BluetoothHost
import EightBall
import Linux

/// Why a part on an I2C bus cannot be used, in words.
package enum PartAccessError: Equatable {
  /// The machine has no such bus.
  case noBus
  /// This user may not open the bus, and there is no group to join.
  case noPermission
  /// This user may not open the bus, and a group may.
  case notInGroup
  /// Nothing answers at the address.
  case silent
  /// The bus does not work.
  case stuck
  /// Another device answers.
  case otherDevice
  /// The part has lost its settings.
  case lostSettings
  /// Anything else.
  case other

  /// What is wrong, without a full stop.
  ///
  /// Fields: %p is the part and where it is; %b the path of the bus; %i the identity of the device; %f
  /// the kernel's text.
  package var reason: MessageTemplate {
    switch self {
    case .noBus: MessageTemplate("%b is missing")
    case .noPermission, .notInGroup: MessageTemplate("%b may not be opened")
    case .silent: MessageTemplate("%p does not answer")
    case .stuck: MessageTemplate("%b is stuck: a line is held low, or a transfer does not end")
    case .otherDevice: MessageTemplate("%p is something else: its identity is %i")
    case .lostSettings: MessageTemplate("%p has lost its settings")
    case .other: MessageTemplate("%b cannot be used: %f")
    }
  }

  /// What to do, without a full stop; `nil` if no remedy is known.
  ///
  /// Fields: %g is the group that may open the bus; %n the number of the bus.
  package var remedy: MessageTemplate? {
    switch self {
    case .noBus:
      MessageTemplate("Enable I2C: sudo raspi-config; on other systems: sudo modprobe i2c-dev")
    case .noPermission: MessageTemplate("Run with sudo")
    case .notInGroup: MessageTemplate("Join its group and log in again: sudo usermod -aG %g $USER")
    case .silent:
      MessageTemplate("Check its wires and its address. See what answers: i2cdetect -y %n")
    case .stuck: MessageTemplate("Check the wires of SDA and SCL")
    case .otherDevice: MessageTemplate("Name the part that is there, or its address, with --set")
    case .lostSettings: MessageTemplate("It gets them again. Check its supply if it goes on")
    case .other: nil
    }
  }
}

#if !hasFeature(Embedded)
  // For tests: a program without a heap has no arrays.
  extension PartAccessError: CaseIterable {}
#endif

/// The message about a part that cannot be used.
package struct PartMessage {
  private let part: BusPart
  private let error: PartError

  /// A message about this error of `part`.
  package init(_ part: BusPart, _ error: PartError) {
    self.part = part
    self.error = error
  }

  /// What is wrong.
  package var cause: PartAccessError {
    switch error {
    case .bus(.notAcknowledged): return .silent
    case .bus(.stuck): return .stuck
    case .wrongIdentity: return .otherDevice
    case .lostSettings: return .lostSettings
    case .bus(.unavailable(let code)):
      switch ErrorNumber(rawValue: code) {
      case .noSuchFile, .noSuchDevice, .noSuchAddress: return .noBus
      case .accessDenied, .notPermitted: return group == 0 ? .noPermission : .notInGroup
      default: return .other
      }
    }
  }

  /// Writes what is wrong, and what to do, without the last full stop.
  @inline(never)
  package func write(to writer: inout ByteWriter) {
    let cause = self.cause
    write(cause.reason, to: &writer)
    guard let remedy = cause.remedy else { return }
    writer.write(text: ". ")
    write(remedy, to: &writer)
  }

  /// Writes a text of `cause`.
  package func write(_ text: MessageTemplate, to writer: inout ByteWriter) {
    text.write(to: &writer) { write(field: $0, to: &$1) }
  }

  private var bus: I2CDevice { I2CDevice(part.bus) }

  /// The group that may open the bus; 0 if there is none.
  private var group: UInt32 { unsafe bus.withPath { unsafe clinux_group($0) } }

  @inline(never)
  private func write(field: UInt8, to writer: inout ByteWriter) {
    switch field {
    case UInt8(ascii: "p"):
      writer.write(text: part.model.part == .motion ? "the motion sensor " : "the display ")
      writer.write(text: part.model.name)
      writer.write(text: " at ")
      part.writePlace(to: &writer)
    case UInt8(ascii: "b"): bus.writePath(to: &writer)
    case UInt8(ascii: "n"): writer.write(decimal: UInt32(part.bus))
    case UInt8(ascii: "g"): GroupFile.writeName(of: group, to: &writer)
    case UInt8(ascii: "i"):
      guard case .wrongIdentity(let identity) = error else { return }
      writer.write(text: "0x")
      writer.write(hexadecimal: identity)
    case UInt8(ascii: "f"):
      guard case .bus(.unavailable(let code)) = error, let words = unsafe clinux_words(code) else {
        return
      }
      writer.write(start: unsafe ProgramText(c: words).span)
    default: break
    }
  }
}
