import Foundation
import LinuxRadio
import LinuxSystem
import LinuxTestSupport
import Testing

@testable import CoreBluetooth

/// Managers of radios that keep their bonds in files.
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
      let keeper = SecretKeeper(first[0])
      #expect(try keeper.lines.take() == "published")
      let visitor = SecretVisitor(first[1])
      visitor.visit()
      try visitor.lines.take { $0 == "read update" }
      visitor.leave()
      try visitor.lines.take { $0 == "disconnected" }
      // The files are written while the radios run, at the end of a turn.
      for (radio, path) in zip(first, paths) {
        let turns = Inbox<Int>()
        for number in 0..<1_000 where !Files.exists(path) {
          radio.perform { _ in turns.put(number) }
          _ = try turns.take()
        }
        #expect(Files.exists(path))
      }
    }
    // A closed radio has its bonds, but not its file.
    let peers = first.map(\.bondedPeers)
    #expect(peers.map(\.count) == [1, 1])
    let radios = radios()
    defer { for radio in radios { radio.close() } }
    #expect(radios.map(\.bondedPeers) == peers)
    for radio in radios { radio.pairing = .refused }
    let keeper = SecretKeeper(radios[0])
    #expect(try keeper.lines.take() == "published")
    let visitor = SecretVisitor(radios[1])
    visitor.visit()
    try visitor.lines.take { $0 == "read secret" }
    #expect([visitor.identifier] == peers[1])
    #expect(first.map(\.bondedPeers) == peers)
  }

  @Test("A bond deleted before the first manager is also deleted from the file")
  func forgotten() throws {
    try life()
    let first = radios()
    let peer = try #require(first[1].bondedPeers.first)
    first[1].removeBond(with: peer)
    for radio in first { radio.close() }
    let second = radios()
    #expect(second.map(\.bondedPeers.count) == [1, 0])
    #expect(first.map(\.bondedPeers.count) == [1, 0])
    for radio in second { radio.close() }
  }

  @Test("An unused radio releases its file when it is closed, and when it is released")
  func unused() throws {
    try life()
    for _ in 0..<2 { _ = radios() }
    let last = radios()
    #expect(last.map(\.bondedPeers.count) == [1, 1])
    for radio in last { radio.close() }
  }

  @Test(
    "The default radio takes the file from the environment, and no file for a wrong name")
  func byDefault() throws {
    try life()
    let wrong = CBRadio(.default(named: "blue", bonds: paths[0]))
    #expect(wrong.bondedPeers == [])
    let radio = CBRadio(.default(named: "virtual", bonds: paths[0]))
    #expect(radio.bondedPeers.count == 1)
    radio.close()
    let named = try CBRadio("virtual", bonds: paths[0])
    #expect(named.bondedPeers.count == 1)
    #expect(throws: (any Error).self) { try CBRadio("virtual", address: "blue", bonds: paths[0]) }
    named.close()
  }
}
