import BluetoothHost
import LinuxPort
import LinuxRadio

/// Lists the bonds of a ball, and removes them.
struct Bonds: Command {
  static let page = CommandPage(
    name: "bonds",
    abstract: "List the bonds of this user's ball, or forget them.",
    discussion: """
      The bond that was used last comes first. Keys are never shown. A list changes nothing, and \
      shows the bonds of a running ball too. To remove bonds, stop the ball first; or hold its clear \
      button for 10 s, which forgets all.

      EXAMPLES
        eightball bonds
        eightball bonds --remove C0:00:00:00:00:01
        eightball bonds --remove all
        eightball bonds --of-ask
        sudo eightball bonds --file /var/lib/eightball/ball.bonds

      EXIT STATUS
        0   the bonds are listed, or the named ones are forgotten
        1   the file is not one of bonds, cannot be read or written, or a ball uses it
        64  the command line is wrong
        69  there is no such bond
        74  the output cannot be written
      """)

  static var options: [ToolOption<Bonds>] {
    [
      .value(
        OptionRow(
          "--remove", "<address|all>",
          "Forget the bond with the central at this address, or all bonds.")
      ) { $0.remove = $1.text },
      .value(
        OptionRow(
          "--file", "<file>", "The file of the bonds. Default: that of this user's ball.")
      ) { $0.file = try $1.path() },
      .flag(
        OptionRow(
          "--of-ask",
          "Use the bonds of eightball ask and gatt: devices that they paired with.")
      ) { $0.ofAsk = true },
      .flag(.json) { $0.isJSON = true },
    ]
  }

  var remove: String?
  var file: String?
  var ofAsk = false
  var isJSON = false

  func validate() throws(UsageError) {
    if let remove, !removesAll, DeviceAddress.bytes(of: remove) == nil {
      throw UsageError(
        "--remove: “\(printable(remove))” is neither all nor an address such as C0:00:00:00:00:01; "
          + "eightball bonds lists them.")
    }
    guard !ofAsk || file == nil else {
      throw UsageError("Give --of-ask or --file, not both.")
    }
  }

  /// The name of the file of a ball's bonds.
  private static let ballFile = "ball.bonds"

  private var removesAll: Bool { remove == "all" }

  func run() throws {
    try reportingErrors(with: { printError($0, reason: $1, isJSON: isJSON) }) {
      guard let path = file ?? BondFile.path(of: ofAsk ? KeptBonds.centralFile : Self.ballFile)
      else {
        complain("HOME and XDG_STATE_HOME name no folder for the bonds: give --file.", "system")
        throw ExitStatus.unexpected
      }
      // Listing changes nothing. Nothing is made where there are no bonds to remove.
      guard let content = try BondFile.read(path) else {
        guard remove == nil || removesAll else { return try complainOfNone(path) }
        return sayNone(path)
      }
      guard remove != nil else {
        warn(content.notice)
        return list(content.bonds, path)
      }
      try removeBonds(path)
    }
  }

  private func removeBonds(_ path: String) throws {
    var file = BondFile(path)
    var content = try file.open()
    warn(content.notice)
    let removed = removeChosen(from: &content.bonds)
    guard !removed.isEmpty || removesAll else { return try complainOfNone(path) }
    if !removed.isEmpty { try file.save(content.bonds, identity: content.identity) }
    for address in removed { sayForgotten(address) }
    if removed.isEmpty { sayNone(path) }
  }

  private func warn(_ notice: String?) {
    if let notice { Terminal.note("Warning: \(sentence(printable(notice)))") }
  }

  /// Removes the named bonds; returns their addresses.
  private func removeChosen(from bonds: inout BondTable<16>) -> [DeviceAddress] {
    var removed: [DeviceAddress] = []
    for index in (0..<bonds.count).reversed() {
      guard let address = bonds.bond(at: index)?.identityAddress, removes(address) else { continue }
      bonds.remove(at: index)
      removed.append(address)
    }
    return removed.reversed()
  }

  /// Whether `--remove` names `address`, which may be public or random.
  private func removes(_ address: DeviceAddress) -> Bool {
    if removesAll { return true }
    guard let bytes = remove.flatMap({ DeviceAddress.bytes(of: $0) }) else { return false }
    return DeviceAddress(kind: address.kind, bytes: bytes) == address
  }

  // MARK: Output

  private func list(_ bonds: borrowing BondTable<16>, _ path: String) {
    if bonds.count == 0 { return sayNone(path) }
    for index in 0..<bonds.count {
      guard let bond = bonds.bond(at: index) else { continue }
      let usesPrivacy = bond.identityResolvingKey.map { $0 != .zero } ?? false
      guard !isJSON else {
        var line = JSONLine(event: "bond")
        line.add("address", bond.identityAddress)
        line.add("kind", bond.identityAddress.kindText)
        line.add("authenticated", bond.isAuthenticated)
        line.add("secureConnections", bond.isSecureConnections)
        line.add("changesAddress", usesPrivacy)
        line.print()
        continue
      }
      Terminal.print(
        bond.identityAddress.text + "  " + bond.identityAddress.kindText
          + (bond.isAuthenticated ? ", authenticated" : ", encrypted")
          + (bond.isSecureConnections ? "" : ", legacy pairing")
          + (usesPrivacy ? ", changes its address" : ""))
    }
  }

  private func sayNone(_ path: String) {
    if !isJSON { Terminal.note("There are no bonds in \(printable(path)).") }
  }

  private func sayForgotten(_ address: DeviceAddress) {
    guard isJSON else { return Terminal.print("Forgotten: \(address.text).") }
    var line = JSONLine(event: "forgotten")
    line.add("address", address)
    line.print()
  }

  private func complainOfNone(_ path: String) throws {
    complain(
      "There is no bond with \(printable(remove ?? "")) in \(printable(path)): "
        + "eightball bonds lists them.", "bond")
    throw ExitStatus.unavailable
  }

  private func complain(_ text: String, _ reason: String) {
    printError(text, reason: reason, isJSON: isJSON)
  }
}
