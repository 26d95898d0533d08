import BluetoothHost
import Expectations
import Foundation
import LinuxRadio
import LinuxTestSupport

@testable import CoreBluetooth

/// A device that publishes a secret, and one that uses it. Values require an encrypted link.
private struct Secret {
  let keeper: Publisher
  let visitor: Visitor
  static let service = CBUUID(string: "5A00")
  /// What a visit finds on an encrypted link.
  static let lines = [
    "value 5A01 secret", "notifying 5A01 true", "wrote 5A01", "value 5A01 update",
  ]

  init(_ radios: [CBRadio]) throws {
    let secret = CBMutableCharacteristic(
      type: CBUUID(string: "5A01"), properties: [.read, .write, .indicateEncryptionRequired],
      value: nil, permissions: [.readEncryptionRequired, .writeEncryptionRequired])
    keeper = try Publisher(radios[0], [secret], as: Self.service) { log in
      log.answerReads { _ in Data("secret".utf8) }
      log.onWrite = { manager, requests in
        manager.respond(to: requests[0], withResult: .success)
        _ = manager.updateValue(Data("update".utf8), for: secret, onSubscribedCentrals: nil)
      }
    }
    visitor = try Visitor(radios[1])
  }

  /// Connects. The link is made again after a loss, but not to a peripheral that has lost its bond.
  func connect() throws {
    try visitor.connect(
      to: Self.service, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
  }

  /// Connects, reads the secret, subscribes to it and writes it. Returns the reports.
  func visit() throws -> [String] {
    try connect()
    let secret = try visitor.characteristics(in: Self.service)[0]
    let peripheral = try #require(visitor.peripheral)
    var lines = [try visitor.read(secret)]
    peripheral.setNotifyValue(true, for: secret)
    lines.append(try visitor.log.lines.take("notifying"))
    peripheral.writeValue(Data([1]), for: secret, type: .withResponse)
    lines.append(try visitor.log.lines.take("wrote"))
    if secret.isNotifying { lines.append(try visitor.log.lines.take("value")) }
    return lines
  }
}

@Suite("Managers and encryption")
struct ManagerSecurityTests {
  private let radios: [CBRadio]
  private let it: Secret

  init() throws {
    let path = AirPath()
    radios = (0..<2).map { _ in path.radio() }
    it = try Secret(radios)
  }

  @Test("Values are read, written and notified; then the bond encrypts, and is deleted")
  func life() throws {
    defer { for radio in radios { radio.close() } }
    let (safe, other) = (radios[0], radios[1])
    // Both programs compare the digits.
    let digits = Inbox<String>()
    for radio in radios {
      radio.pairing = CBPairing(ability: .displayYesNo, requiresUser: true) { request in
        if case .compare(let number) = request.prompt { digits.put(number) }
        request.answer(true)
      }
    }
    expect(try it.visit(), is: Secret.lines)
    expect(try digits.take() == digits.take())
    let (first, second) = (try #require(safe.bondedPeers.first), other.bondedPeers)
    expect(second, is: [try #require(it.visitor.peripheral?.identifier)])
    // No new pairing is needed.
    safe.pairing = .refused
    other.pairing = .refused
    try it.visitor.leave()
    expect(try it.visit(), is: Secret.lines)
    try it.visitor.leave()
    // The peripheral deletes its bond, and the central does not trust a device without it.
    safe.removeBond(with: first)
    try it.connect()
    expect(
      try it.visitor.log.lines.take("disconnected")
        .hasSuffix(" disconnected: CBError.peerRemovedPairingInformation"))
    expect(other.bondedPeers, is: second)
    // The central deletes its bond too. The peripheral still refuses to pair, and each request.
    other.removeBond(with: second[0])
    other.pairing = .automatic
    expect(
      try it.visit(),
      is: [
        "value 5A01 -: CBATTError 0x5", "notifying 5A01 false: CBATTError 0x5",
        "wrote 5A01: CBATTError 0x5",
      ])
    try it.visitor.leave()

    safe.pairing = .automatic
    expect(try it.visit(), is: Secret.lines)
  }
}

@Suite("Managers and bond files")
struct BondFileThreadTests {
  private let path = AirPath()
  private let folder: TemporaryDirectory
  private var paths: [String] { ["safe", "visitor"].map { "\(folder.path)/\($0).bonds" } }

  init() throws { folder = try TemporaryDirectory() }

  private func radios() -> [CBRadio] {
    paths.map {
      CBRadio(
        RadioEngine(
          .virtual, airPath: path.text,
          bonds: .kept(at: $0) { Issue.record("\($0)") }, stopsWhenUnused: true))
    }
  }

  @Test("The bonds of closed radios are used by the next radios with their files")
  func life() throws {
    let first = radios()
    do {
      defer { for radio in first { radio.close() } }
      let it = try Secret(first)
      expect(try it.visit(), is: Secret.lines)
      try it.visitor.leave()
      // The files are written while the radios run, at the end of a turn.
      for (radio, path) in zip(first, paths) {
        let turns = Inbox<Int>()
        for number in 0..<1_000 where !Files.exists(path) {
          radio.perform { _ in turns.put(number) }
          _ = try turns.take()
        }
        expect(Files.exists(path))
      }
    }
    // A closed radio has its bonds, but not its file.
    let peers = first.map(\.bondedPeers)
    expect(peers.map(\.count), is: [1, 1])
    let radios = radios()
    defer { for radio in radios { radio.close() } }
    expect(radios.map(\.bondedPeers), is: peers)
    for radio in radios { radio.pairing = .refused }
    let it = try Secret(radios)
    expect(try it.visit(), is: Secret.lines)
    expect([it.visitor.peripheral?.identifier], is: peers[1])
    expect(first.map(\.bondedPeers), is: peers)
  }

  @Test("A bond deleted before the first manager is also deleted from the file")
  func forgotten() throws {
    try life()
    let first = radios()
    first[1].removeBond(with: try #require(first[1].bondedPeers.first))
    for radio in first { radio.close() }
    let second = radios()
    expect(second.map(\.bondedPeers.count), is: [1, 0])
    expect(first.map(\.bondedPeers.count), is: [1, 0])
    for radio in second { radio.close() }
  }

  @Test("An unused radio releases its file when it is closed, and when it is released")
  func unused() throws {
    try life()
    for _ in 0..<2 { _ = radios() }
    let last = radios()
    expect(last.map(\.bondedPeers.count), is: [1, 1])
    for radio in last { radio.close() }
  }

  @Test("The default radio takes the file from the environment, and no file for a wrong name")
  func byDefault() throws {
    try life()
    expect(CBRadio(RadioEngine.default(named: "blue", bonds: paths[0])).bondedPeers, is: [])
    let radio = CBRadio(RadioEngine.default(named: "virtual", bonds: paths[0]))
    expect(radio.bondedPeers.count, is: 1)
    radio.close()
    let named = try CBRadio("virtual", bonds: paths[0])
    expect(named.bondedPeers.count, is: 1)
    #expect(throws: (any Error).self) { try CBRadio("virtual", address: "blue", bonds: paths[0]) }
    named.close()
  }
}
