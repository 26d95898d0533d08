/// The state of a systemd service, read from its files and the kernel's control groups, without
/// calling systemd.
public struct SystemService: Equatable, Sendable {
  /// The name of its unit, such as "eightball.service".
  public var name: String
  /// Whether systemd runs this system.
  public var hasSystemd: Bool
  /// Whether its unit exists.
  public var isInstalled: Bool
  /// Whether it starts at boot.
  public var isEnabled: Bool
  /// The numbers of its processes; empty unless it runs.
  public var processes: [Int]

  /// With these values.
  public init(
    name: String, hasSystemd: Bool, isInstalled: Bool, isEnabled: Bool, processes: [Int]
  ) {
    self.name = name
    self.hasSystemd = hasSystemd
    self.isInstalled = isInstalled
    self.isEnabled = isEnabled
    self.processes = processes
  }

  /// Looks for a service.
  ///
  /// - Parameter root: A prefix for the system's paths.
  public static func find(_ name: String, root: String = "") -> SystemService {
    let folders = [
      "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
      "/usr/lib/systemd/system", "/lib/systemd/system",
    ].map { root + $0 }
    let isEnabled = folders.contains { folder in
      Files.names(in: folder).contains { target in
        target.hasSuffix(".wants") && Files.names(in: "\(folder)/\(target)").contains(name)
      }
    }
    return SystemService(
      name: name, hasSystemd: Files.exists("\(root)/run/systemd/system"),
      isInstalled: folders.contains { Files.names(in: $0).contains(name) }, isEnabled: isEnabled,
      processes: processes(of: name, root: root))
  }

  /// The processes in the control groups of version 2, of both versions together, or of version 1.
  private static func processes(of name: String, root: String) -> [Int] {
    for hierarchy in ["", "/unified", "/systemd"] {
      let path = "\(root)/sys/fs/cgroup\(hierarchy)/system.slice/\(name)/cgroup.procs"
      guard let text = try? Files.text(of: path) else { continue }
      return text.split(separator: "\n").compactMap { Int($0) }
    }
    return []
  }
}
