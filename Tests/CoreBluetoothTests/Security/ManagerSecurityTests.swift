import BluetoothHost
import Foundation
import LinuxRadio
import Testing

@testable import CoreBluetooth

/// Managers of two radios. One publishes values that require an encrypted link.
@Suite("Managers and encryption")
struct ManagerSecurityTests {
  private let path = AirPath()
  private let safe: CBRadio
  private let other: CBRadio
  private let keeper: SecretKeeper
  private let visitor: SecretVisitor

  init() throws {
    let path = path
    let radios = (0..<2).map { _ in path.radio() }
    (safe, other) = (radios[0], radios[1])
    keeper = SecretKeeper(safe)
    #expect(try keeper.lines.take() == "published")
    visitor = SecretVisitor(other)
  }

  private func close() {
    safe.close()
    other.close()
  }

  @Test("Values are read, written and notified; then the bond encrypts, and is deleted")
  func life() throws {
    defer { close() }
    visitor.visit()
    try visitor.lines.expect("connected", "read secret", "notifying true", "wrote", "read update")
    let (first, second) = (try #require(safe.bondedPeers.first), other.bondedPeers)
    #expect(second == [try #require(visitor.identifier)])

    // No new pairing is needed.
    safe.pairing = .refused
    other.pairing = .refused
    visitor.leave()
    try visitor.lines.expect("disconnected")
    visitor.visit()
    try visitor.lines.expect("connected", "read secret", "notifying true", "wrote", "read update")
    visitor.leave()
    try visitor.lines.expect("disconnected")

    // The peripheral deletes its bond, and the central does not trust a device without it.
    safe.removeBond(with: first)
    visitor.visit()
    try visitor.lines.expect("connected", "disconnected, Peer removed pairing information.")
    #expect(other.bondedPeers == second)

    // The central deletes its bond too. The peripheral still refuses to pair, and each request.
    other.removeBond(with: second[0])
    other.pairing = .automatic
    visitor.visit()
    try visitor.lines.expect(
      "connected", "Authentication is insufficient.", "Authentication is insufficient.",
      "Authentication is insufficient.")
    visitor.leave()
    try visitor.lines.expect("disconnected")

    safe.pairing = .automatic
    visitor.visit()
    try visitor.lines.expect("connected", "read secret", "notifying true", "wrote", "read update")
  }

  @Test("Both programs compare the digits")
  func comparison() throws {
    defer { close() }
    let digits = Inbox<String>()
    for radio in [safe, other] {
      radio.pairing = CBPairing(ability: .displayYesNo, requiresUser: true) { request in
        if case .compare(let number) = request.prompt { digits.put(number) }
        request.answer(true)
      }
    }
    visitor.visit()
    try visitor.lines.expect("connected", "read secret")
    #expect(try digits.take() == digits.take())
  }
}
