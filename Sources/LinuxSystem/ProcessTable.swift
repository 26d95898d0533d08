/// The processes of this machine, as /proc tells of them.
public struct ProcessTable: Sendable {
  /// A process that runs.
  public struct Entry: Equatable, Sendable, CustomStringConvertible {
    /// Its number.
    public var number: Int
    /// Its program, cut by the kernel to 15 bytes.
    public var name: String

    /// The process with this number, of this program.
    public init(number: Int, name: String) {
      self.number = number
      self.name = name
    }

    /// "bluetoothd, process 612".
    public var description: String { "\(name), process \(number)" }
  }

  /// Where the kernel tells of processes.
  private let root: String

  /// The table at `root`.
  public init(root: String = "/proc") {
    self.root = root
  }

  /// All processes that can be seen, in the order of their numbers.
  public var entries: [Entry] {
    Files.names(in: root).compactMap { Int($0) }.sorted().compactMap { number in
      guard let name = try? Files.text(of: "\(root)/\(number)/comm") else { return nil }
      return Entry(number: number, name: String(name.prefix { $0 != "\n" }))
    }
  }

  /// The processes that hold a Bluetooth socket of the kind that drives adapters (HCI), this one
  /// left out. Those of other users are seen by root alone.
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
