import BluetoothHost
import Glibc
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
    let known: RadioError? =
      switch radio {
      case .adapter(let number): .adapter("hci\(number)", error.code)
      case .unix(let path), .unixOfUser(_, let path): .unix(path, error)
      case .tcpClient: .tcpClient(error)
      case .tcpServer: .tcpServer(error)
      case .serial(let device, _): .serial(device, error.code)
      case .virtual: .virtual(error)
      }
    self = known ?? RadioError(error.description)
    kind = Kind(error.code, of: radio)
    switch (radio, error.code) {
    case (.tcpServer, .addressInUse), (.serial, .busy): isInUse = true
    default: break
    }
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
    let reason = String { loss.writeReason(radio: name.span, to: &$0) }
    self.init(reason, remedy: loss.remedy.map { remedy in String { remedy.writePrefix(to: &$0) } })
  }

  private static func adapter(_ name: String, _ code: Errno) -> RadioError? {
    switch code {
    case .notPermitted, .accessDenied: RadioError(name, .notPermitted)
    case .busy:
      RadioError(
        "\(name) is in use by the system",
        remedy: "If it stays so, stop the system's Bluetooth service: "
          + "sudo systemctl stop bluetooth")
    case .tooManyUsers: RadioError(name, .held)
    case .brokenPipe:
      RadioError("\(name) is gone")
    case .noSuchDevice:
      RadioError(
        "there is no adapter \(name)",
        remedy: "Plug it in, name another (ls /sys/class/bluetooth), or use --radio virtual")
    case .blockedByRfkill: RadioError(name, .softBlock)
    case .addressFamilyNotSupported, .protocolNotSupported:
      RadioError(
        "this system's kernel has no Bluetooth",
        remedy: "Load it, if there is a module: sudo modprobe bluetooth; or use --radio virtual")
    default: nil
    }
  }

  private static func unix(_ path: String, _ error: SystemError) -> RadioError? {
    switch error.code {
    case .noSuchFile, .connectionRefused:
      RadioError(
        "no controller listens at \(path)",
        remedy: "Start it first, such as: eightball radio --listen unix:\(path)")
    case .accessDenied:
      RadioError("the socket \(path) is another user's", remedy: "Run as that user")
    case .notPermitted:
      RadioError(
        error.description,
        remedy: "Run as that user, or say whom you trust: unix:\(path),user=USER")
    default: nil
    }
  }

  private static func tcpClient(_ error: SystemError) -> RadioError? {
    guard error.code == .connectionRefused else { return nil }
    return RadioError(
      "no controller listens at \(error.subject)",
      remedy: "Start it first, such as: eightball radio --listen tcp-server:\(error.subject)")
  }

  private static func tcpServer(_ error: SystemError) -> RadioError? {
    switch error.code {
    case .addressInUse:
      RadioError("another program listens at \(error.subject)", remedy: "Choose another port")
    case .accessDenied:
      RadioError("\(error.description)", remedy: "Choose a port above 1023")
    default: nil
    }
  }

  private static func serial(_ device: String, _ code: Errno) -> RadioError? {
    switch code {
    case .noSuchFile, .noSuchDevice:
      RadioError("there is no serial line \(device)", remedy: "Is the controller plugged in?")
    case .accessDenied, .notPermitted:
      RadioError(
        "\(device) may not be opened",
        remedy: "Join its group and log in again: sudo usermod -aG dialout $USER")
    case .busy:
      RadioError("another program holds \(device)", remedy: "End that program first")
    case .notATerminal:
      RadioError("\(device) is no serial line")
    default: nil
    }
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

extension Errno {
  /// Another program has the adapter's user channel.
  package static let tooManyUsers = Errno(rawValue: EUSERS)
  package static let readOnlyFileSystem = Errno(rawValue: EROFS)
}
