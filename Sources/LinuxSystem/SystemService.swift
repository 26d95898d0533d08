/// What systemd knows of a service, as its files and the kernel's control groups tell it: nothing
/// is started to find out, and nobody has to be asked.
public struct SystemService: Equatable, Sendable {
  /// Its unit's name, such as "eightball.service".
  public var name: String
  /// Whether this system has been started by systemd.
  public var hasSystemd: Bool
  /// Whether there is a unit.
  public var isInstalled: Bool
  /// Whether it is started with the machine.
  public var isEnabled: Bool
  /// The numbers of its processes; none unless it runs.
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
  /// - Parameter root: What stands before the paths of the system.
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

  /// The control groups of version 2, of both versions together, and of version 1.
  private static func processes(of name: String, root: String) -> [Int] {
    for hierarchy in ["", "/unified", "/systemd"] {
      let path = "\(root)/sys/fs/cgroup\(hierarchy)/system.slice/\(name)/cgroup.procs"
      guard let text = try? Files.text(of: path) else { continue }
      return text.split(separator: "\n").compactMap { Int($0) }
    }
    return []
  }
}
