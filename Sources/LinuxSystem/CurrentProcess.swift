import Glibc

/// This process: its user, program, capabilities and environment.
public enum CurrentProcess {
  /// The number of its effective user.
  public static var userNumber: UInt32 { geteuid() }

  /// The number of the user with this name or number; `nil` if the name is unknown.
  package static func userNumber(of text: String) -> UInt32? {
    if let number = UInt32(text) { return number }
    guard let entry = unsafe getpwnam(text) else { return nil }
    return unsafe entry.pointee.pw_uid
  }

  /// The path of its program; "eightball" if it cannot be read.
  public static var programPath: String {
    Files.target(ofLink: "/proc/self/exe") ?? "eightball"
  }

  /// Whether it may configure network devices, including Bluetooth adapters: CAP_NET_ADMIN of
  /// capabilities(7).
  public static var mayConfigureAdapters: Bool {
    guard let status = try? Files.text(of: "/proc/self/status") else { return false }
    return mayConfigureAdapters(status: status)
  }

  static func mayConfigureAdapters(status: String) -> Bool {
    let netAdmin: UInt64 = 1 << 12
    for line in status.split(separator: "\n") where line.hasPrefix("CapEff:") {
      let digits = line.dropFirst("CapEff:".count).drop { $0 == " " || $0 == "\t" }
      return UInt64(digits, radix: 16).map { $0 & netAdmin != 0 } ?? false
    }
    return false
  }

  /// The value of an environment variable; `nil` if it is unset or empty.
  public static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}
