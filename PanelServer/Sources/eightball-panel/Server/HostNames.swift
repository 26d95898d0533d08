import NIOCore

/// The names of the panel in the header field Host. Any other name means that another site's page
/// has bound its name to this address (DNS rebinding).
struct HostNames {
  private let names: Set<String>
  private let port: Int
  /// Whether any IP address is allowed as Host: DNS rebinding needs a name.
  private let takesAddresses: Bool

  /// - Parameters:
  ///   - listening: The host of --listen; `nil` for loopback.
  init(listening: String?, port: Int) {
    self.port = port
    var hosts = ["127.0.0.1", "localhost", "[::1]"]
    if let listening { hosts.append(Self.bracketed(listening.lowercased())) }
    names = Set(hosts.map { "\($0):\(port)" } + (port == 80 ? hosts : []))
    takesAddresses = listening != nil
  }

  /// Whether `host`, a value of the header field Host, is the panel.
  func contains(_ host: String) -> Bool {
    let host = host.lowercased()
    if names.contains(host) { return true }
    guard takesAddresses else { return false }
    let suffix = ":\(port)"
    // A URL leaves out port 80, and so does Host.
    guard host.hasSuffix(suffix) || port == 80 else { return false }
    let address = host.hasSuffix(suffix) ? host.dropLast(suffix.count) : host[...]
    let plain =
      address.hasPrefix("[") && address.hasSuffix("]")
      ? address.dropFirst().dropLast() : address
    return (try? SocketAddress(ipAddress: String(plain), port: port)) != nil
  }

  /// A host as in a URL.
  static func bracketed(_ host: String) -> String {
    host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[") ? "[\(host)]" : host
  }
}
