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

/// The processes of this machine, read from /proc.
public struct ProcessTable: Sendable {
  /// A running process.
  public struct Entry: Equatable, Sendable, CustomStringConvertible {
    /// Its number.
    public var number: Int
    /// Its program, truncated by the kernel to 15 bytes.
    public var name: String

    /// The process with this number, of this program.
    public init(number: Int, name: String) {
      self.number = number
      self.name = name
    }

    /// "bluetoothd, process 612".
    public var description: String { "\(name), process \(number)" }
  }

  /// The path of the proc file system.
  private let root: String

  /// The table at `root`.
  public init(root: String = "/proc") {
    self.root = root
  }

  /// All visible processes, in the order of their numbers.
  public var entries: [Entry] {
    Files.names(in: root).compactMap { Int($0) }.sorted().compactMap { number in
      guard let name = try? Files.text(of: "\(root)/\(number)/comm") else { return nil }
      return Entry(number: number, name: String(name.prefix { $0 != "\n" }))
    }
  }

  /// The arguments of a process, its program first; empty if they cannot be read.
  package func arguments(of entry: Entry) -> [String] {
    let text = (try? Files.text(of: "\(root)/\(entry.number)/cmdline")) ?? ""
    return text.split(separator: "\0").map(String.init)
  }

  /// The other processes that have an HCI socket, which can drive an adapter. Only root sees those
  /// of other users.
  public var holdersOfAdapterSockets: [Entry] {
    // sk, RefCnt, Rmem, Wmem, User, Inode, Parent
    let table = (try? Files.text(of: "\(root)/net/hci")) ?? ""
    let sockets = table.split(separator: "\n").dropFirst().compactMap { line -> String? in
      let fields = line.split(separator: " ")
      return fields.count > 5 ? "socket:[\(fields[5])]" : nil
    }
    guard !sockets.isEmpty else { return [] }
    let own = Files.target(ofLink: "\(root)/self")
    return entries.filter { entry in
      let folder = "\(root)/\(entry.number)/fd"
      return "\(entry.number)" != own
        && Files.names(in: folder).contains { name in
          Files.target(ofLink: "\(folder)/\(name)").map { sockets.contains($0) } ?? false
        }
    }
  }
}
