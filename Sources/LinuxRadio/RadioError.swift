import BluetoothHost
import Glibc
import LinuxErrors
import LinuxSystem

/// Why a radio cannot be used, and what a person can do about it.
public struct RadioError: Error, Equatable, CustomStringConvertible {
  /// What kind of reason it is, for a program to act on.
  public enum Kind: Sendable {
    /// There is no such radio.
    case absent
    /// This program, or this user, may not use it.
    case notAllowed
    /// It is switched off, by software or by a switch.
    case switchedOff
    /// None of these.
    case other
  }

  /// What is wrong.
  public var reason: String
  /// What to do, if anything is known to help.
  public var remedy: String?
  /// What kind of reason it is.
  public var kind = Kind.other
  /// Whether all that is wrong is that another program has it.
  package var isInUse = false

  /// An error for this reason, with what helps, if anything does.
  public init(_ reason: String, remedy: String? = nil) {
    self.reason = reason
    self.remedy = remedy
  }

  /// What it is, in words.
  public var description: String {
    guard let remedy else { return reason }
    return remedy.hasSuffix("?") ? "\(reason). \(remedy)" : "\(reason). \(remedy)."
  }

  /// Puts a failed call about `radio` into words.
  package init(_ radio: RadioName, _ error: SystemError) {
    let code = ErrorNumber(rawValue: error.code.rawValue)
    let known: RadioError? =
      switch radio {
      case .virtual: .virtual(error)
      case .adapter(let number): .known(.adapter, code, "hci\(number)", error)
      case .unix(let path), .unixOfUser(_, let path): .known(.unix, code, path, error)
      case .tcpClient: .known(.tcpClient, code, error.subject, error)
      case .tcpServer: .known(.tcpServer, code, error.subject, error)
      case .serial(let device, _): .known(.serial, code, device, error)
      }
    self = known ?? RadioError(error.description)
    kind = Kind(error.code, of: radio)
    switch (radio, error.code) {
    case (.tcpServer, .addressInUse), (.serial, .busy): isInUse = true
    default: break
    }
  }

  private static func known(
    _ kind: RadioKind, _ code: ErrorNumber, _ subject: String, _ error: SystemError
  ) -> RadioError? {
    RadioTrouble(kind, code).map { RadioError($0, of: subject, error) }
  }

  /// Puts what is wrong with a radio into words.
  ///
  /// - Parameters:
  ///   - subject: What messages call it.
  ///   - error: The call that failed, if one did.
  init(_ trouble: RadioTrouble, of subject: String, _ error: SystemError? = nil) {
    let field: (UInt8) -> String = { letter in
      switch letter {
      case UInt8(ascii: "s"): subject
      case UInt8(ascii: "f"): error?.description ?? ""
      case UInt8(ascii: "p"): Process.programPath
      default: ""
      }
    }
    self.init(trouble.reason.text(field), remedy: trouble.remedy?.text(field))
  }

  /// Puts the loss of `radio` into words.
  ///
  /// - Parameter failure: Why the last call failed, if that is the loss.
  init(_ loss: RadioLoss, of radio: RadioName, failure: RadioError?) {
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
    default: nil
    }
  }
}

extension RadioError.Kind {
  init(_ code: Errno, of radio: RadioName) {
    switch (code, radio) {
    case (.noSuchDevice, _), (.addressFamilyNotSupported, .adapter),
      (.protocolNotSupported, .adapter), (.noSuchFile, .serial):
      self = .absent
    case (.notPermitted, _), (.accessDenied, _):
      self = .notAllowed
    case (.blockedByRfkill, _):
      self = .switchedOff
    default:
      self = .other
    }
  }
}

extension Wording {
  /// The text with the fields that `field` gives for each letter.
  package func text(_ field: (UInt8) -> String) -> String {
    // A path has 4,096 bytes at most, and no text has more than two.
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

extension Errno {
  package static let readOnlyFileSystem = Errno(rawValue: EROFS)
}
