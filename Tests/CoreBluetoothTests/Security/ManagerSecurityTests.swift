import BluetoothHost
import Foundation
import LinuxRadio
import Testing

@testable import CoreBluetooth

/// Managers of two radios, one of which publishes values that take an encrypted link.
@Suite("Managers and encryption")
struct ManagerSecurityTests {
  private let path = AirPath()
  private let safe: CBRadio
  private let guest: CBRadio
  private let keeper: SecretKeeper
  private let visitor: SecretVisitor

  init() throws {
    let path = path
    let radios = (0..<2).map { _ in
      CBRadio(RadioEngine(.virtual, airPath: path.text, stopsWhenUnused: true))
    }
    (safe, guest) = (radios[0], radios[1])
    keeper = SecretKeeper(safe)
    #expect(try keeper.lines.take() == "published")
    visitor = SecretVisitor(guest)
  }

  private func close() {
    safe.close()
    guest.close()
  }

  /// The visitor's next lines.
  private func expect(
    _ lines: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for line in lines {
      let next = try visitor.lines.take()
      #expect(next == line, sourceLocation: sourceLocation)
    }
  }

  @Test("Values are read, written and notified; then the bond alone encrypts, and is forgotten")
  func life() throws {
    defer { close() }
    visitor.visit()
    try expect("connected", "read secret", "notifying true", "wrote", "read news")
    let (first, second) = (try #require(safe.bondedPeers.first), guest.bondedPeers)
    #expect(second == [try #require(visitor.identifier)])

    // Nobody has to agree any more.
    safe.pairing = .refused
    guest.pairing = .refused
    visitor.leave()
    try expect("disconnected")
    visitor.visit()
    try expect("connected", "read secret", "notifying true", "wrote", "read news")
    visitor.leave()
    try expect("disconnected")

    // The peripheral forgets, and the central does not believe another at its address.
    safe.removeBond(with: first)
    visitor.visit()
    try expect("connected", "disconnected, Peer removed pairing information.")
    #expect(guest.bondedPeers == second)

    // The central forgets too. The peripheral still refuses to pair, and each request with it.
    guest.removeBond(with: second[0])
    guest.pairing = .automatic
    visitor.visit()
    try expect(
      "connected", "Authentication is insufficient.", "Authentication is insufficient.",
      "Authentication is insufficient.")
    visitor.leave()
    try expect("disconnected")

    safe.pairing = .automatic
    visitor.visit()
    try expect("connected", "read secret", "notifying true", "wrote", "read news")
  }

  @Test("Programs compare the digits, each on its side")
  func comparison() throws {
    defer { close() }
    let digits = Inbox<String>()
    for radio in [safe, guest] {
      radio.pairing = CBPairing(ability: .displayYesNo, requiresUser: true) { request in
        if case .compare(let number) = request.prompt { digits.put(number) }
        request.answer(true)
      }
    }
    visitor.visit()
    try expect("connected", "read secret")
    #expect(try digits.take() == digits.take())
  }
}
