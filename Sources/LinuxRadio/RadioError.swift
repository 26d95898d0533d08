import BluetoothHost
import Linux

/// Why a radio cannot be used, and what to do.
public struct RadioError: Error, Equatable, CustomStringConvertible {
  /// The kind of error, for a program to act on.
  public enum Kind: Sendable {
    /// There is no such radio.
    case absent
    /// This program, or this user, may not use it.
    case notAllowed
    /// It is switched off, by software or by a switch.
    case switchedOff
    /// Any other error.
    case other
  }

  /// What is wrong.
  public var reason: String
  /// What to do, if anything is known to help.
  public var remedy: String?
  /// The kind of error.
  public var kind = Kind.other
  /// Whether the only problem is that another program has it.
  package var isInUse = false

  /// An error for this reason.
  public init(_ reason: String, remedy: String? = nil) {
    self.reason = reason
    self.remedy = remedy
  }

  /// The reason and the remedy as sentences.
  public var description: String {
    guard let remedy else { return reason }
    return remedy.hasSuffix("?") ? "\(reason). \(remedy)" : "\(reason). \(remedy)."
  }

  /// The error for a failed call about `radio`.
  package init(_ radio: RadioAddress, _ error: SystemError) {
    let code = error.code
    let known: RadioError? =
      switch radio.way {
      case .virtual: .virtual(error)
      case .adapter(let number): .known(.adapter, code, "hci\(number)", error)
      case .bluez(let number): .known(.bluez, code, "hci\(number)", error)
      case .unix: .known(.unix, code, radio.place, error)
      case .tcpClient: .known(.tcpClient, code, error.subject, error)
      case .tcpServer: .known(.tcpServer, code, error.subject, error)
      case .serial: .known(.serial, code, radio.place, error)
      }
    self = known ?? RadioError(error.description)
    kind = Kind(error.code, of: radio)
    switch (radio.way, error.code) {
    case (.tcpServer, .addressInUse), (.serial, .busy): isInUse = true
    default: break
    }
  }

  private static func known(
    _ kind: RadioKind, _ code: ErrorNumber, _ subject: String, _ error: SystemError
  ) -> RadioError? {
    RadioAccessError(kind, code).map { RadioError($0, of: subject, error) }
  }

  /// The error for a problem of a radio.
  ///
  /// - Parameters:
  ///   - subject: The radio's name in messages.
  ///   - error: The call that failed, if any.
  init(_ access: RadioAccessError, of subject: String, _ error: SystemError? = nil) {
    let field: (UInt8) -> String = { letter in
      switch letter {
      case UInt8(ascii: "s"): subject
      case UInt8(ascii: "f"): error?.description ?? ""
      case UInt8(ascii: "p"): CurrentProcess.programPath
      case UInt8(ascii: "u"): "USER"
      default: ""
      }
    }
    self.init(access.reason.text(field), remedy: access.remedy(hasVirtualAir: true)?.text(field))
  }

  /// The error for the loss of `radio`.
  ///
  /// - Parameter failure: Why the last call failed, if that caused the loss.
  package init(_ loss: TransportError, of radio: RadioAddress, failure: RadioError?) {
    if loss == .port, let failure {
      self = failure
      return
    }
    let name = Array(radio.description.utf8)
    self.init(
      String(writing: { loss.writeReason(radio: name.span, to: &$0) }),
      remedy: loss.remedy.map { remedy in String(writing: { remedy.writePrefix(to: &$0) }) })
  }

  private static func virtual(_ error: SystemError) -> RadioError? {
    switch error.code {
    case .accessDenied, .notPermitted, .fileExists, .readOnlyFileSystem, .noSuchFile:
      RadioError(
        error.description,
        remedy: "Set EIGHTBALL_AIR to another path for the virtual air, or XDG_RUNTIME_DIR to a "
          + "folder of your own")
    // What `PortRadio` throws for this address.
    case .invalidArgument:
      RadioError("this program has no virtual air", remedy: "Choose another radio")
    default: nil
    }
  }
}

extension ControllerError {
  /// What happened to the controller: the end of a sentence, without a full stop.
  package var text: String { String(writing: { write(to: &$0) }) }
}

extension RadioError.Kind {
  init(_ code: ErrorNumber, of radio: RadioAddress) {
    switch (code, radio.way) {
    case (.noSuchDevice, _), (.addressFamilyNotSupported, .adapter),
      (.protocolNotSupported, .adapter), (.noSuchFile, .serial):
      self = .absent
    case (.hostDown, .bluez), (.noSuchFile, .bluez):
      self = .absent
    case (.notPermitted, _), (.accessDenied, _):
      self = .notAllowed
    case (.blockedByRfkill, _), (.networkDown, .bluez):
      self = .switchedOff
    default:
      self = .other
    }
  }
}

extension MessageTemplate {
  /// The text, in which `field` gives the field of each letter.
  package func text(_ field: (UInt8) -> String) -> String {
    // A path has at most 4,096 bytes, and a text at most two paths.
    var storage = [UInt8](repeating: 0, count: 16_384)
    var writer = ByteWriter(storage.mutableSpan)
    write(to: &writer) { letter, writer in
      var text = field(letter)
      text.withUTF8 { utf8 in unsafe writer.writePrefix(of: utf8.span) }
    }
    let count = writer.count
    return String(decoding: storage.prefix(count), as: UTF8.self)
  }
}
