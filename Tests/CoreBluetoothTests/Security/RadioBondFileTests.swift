import BluetoothHost
import Expectations
import Foundation
import LinuxRadio
import LinuxTestSupport

@testable import CoreBluetooth

@Suite("A radio's bond file")
struct RadioBondFileTests {
  private let folder: TemporaryDirectory
  private let reports = Inbox<String>()
  private var path: String { "\(folder.path)/app.bonds" }

  init() throws { folder = try TemporaryDirectory() }

  /// The bonds in the file. Its errors are added to `reports`.
  private func kept() -> RadioBonds {
    RadioBonds.kept(at: path) { [reports] line in reports.put(line) }
  }

  private func bond(_ number: UInt8) -> Bond {
    Bond(
      identityAddress: .staticRandom([number, 0, 0, 0, 0, 0]),
      longTermKey: Number128(words: [UInt32(number), 2, 3, 4]), isAuthenticated: false,
      isSecureConnections: true, role: .responder)
  }

  /// Stores a bond, and writes the file.
  private func keep(_ number: UInt8, in bonds: RadioBonds, as address: DeviceAddress? = nil) {
    bonds.store(bond(number))
    bonds.keep(as: address)
  }

  /// The central of a scene pairs, and its device writes the file.
  private func pair(_ bonds: RadioBonds, with peripheral: RadioBonds) throws {
    let scene = try SafeScene(bonds: [bonds, peripheral])
    let device = scene.central.device
    let before = try? Files.text(of: path)
    device.keepBonds()
    expect((try? Files.text(of: path)), is: before, "nothing has changed yet")
    scene.disconnect(scene.connectAndPair())
    device.keepBonds()
    expect(bonds.count, is: 1)
    expect(Files.exists(path))
  }

  @Test("A bond outlives the radio: the next radio with the file encrypts without pairing")
  func outlives() throws {
    let peripheral = RadioBonds()
    let first = kept()
    try pair(first, with: peripheral)
    first.close(as: nil)

    let second = kept()
    expect(second.bond(at: 0)?.longTermKey, is: first.bond(at: 0)?.longTermKey)
    let scene = try SafeScene(bonds: [second, peripheral])
    for seat in [scene.central, scene.peripheral] { seat.device.setPairing(.refused) }
    expect(scene.read(on: scene.connect()), is: .success(.value(SafeScene.secret)))
    expect(scene.protection(scene.central).contains(.encrypted | .bonded))
    expect(reports.takeAll(), is: [])
  }

  @Test("A file that is not one of bonds is left alone and reported, and the bonds stay in memory")
  func corrupted() throws {
    try folder.write("not a bond", to: "app.bonds")
    let bonds = kept()
    expect(
      reports.takeAll(),
      is: [
        "cannot use \(path): it is not a file of bonds. Name another file, or remove it if nothing needs "
          + "it; bonds last as long as the radio"
      ])
    expect(folder.names, is: ["app.bonds"])
    try pair(bonds, with: RadioBonds())
    bonds.close(as: nil)
    expect(try Files.text(of: path), is: "not a bond")
  }

  @Test("If another radio has the file, or it cannot be opened, the bonds stay in memory")
  func unusable() throws {
    let first = kept()
    keep(1, in: first)
    let second = kept()
    expect(second.count == 0 && second.address == nil)
    second.store(bond(2))
    second.close(as: nil)
    expect(
      reports.takeAll(),
      is: [
        "cannot use \(path): another program is using these bonds; bonds last as long as the radio"
      ])
    first.close(as: nil)
    expect(kept().peers, is: [bond(1).identityAddress])

    let impossible = RadioBonds.kept(at: "/dev/null/app.bonds") { [reports] line in
      reports.put(line)
    }
    expect(impossible.address, is: nil)
    expect(reports.takeAll().count, is: 1)
  }

  /// Calls `body` while the folder of the file is not there.
  private func withoutFolder(_ body: () throws -> Void) throws {
    let moved = folder.path + ".moved"
    try FileManager.default.moveItem(atPath: folder.path, toPath: moved)
    try body()
    try FileManager.default.moveItem(atPath: moved, toPath: folder.path)
  }

  @Test("A file that cannot be written is reported once, and tried again at the next change")
  func unwritable() throws {
    let bonds = kept()
    try withoutFolder {
      for number in 1...2 as ClosedRange<UInt8> {
        keep(number, in: bonds)
        expect(reports.takeAll().count, is: number == 1 ? 1 : 0)
      }
    }
    expect(bonds.failure?.code, is: .noSuchFile)
    bonds.keep(as: nil)
    expect(!Files.exists(path), "nothing has changed")
    keep(3, in: bonds)
    expect(bonds.failure, is: nil)
    bonds.close(as: nil)
    expect(kept().count, is: 3)
    expect(reports.takeAll(), is: [])
  }

  @Test("A failed write is repeated when the radio is closed, and never after that")
  func lastTry() throws {
    let bonds = kept()
    try withoutFolder { keep(1, in: bonds) }
    bonds.close(as: nil)
    keep(2, in: bonds)
    bonds.close(as: nil)
    expect(kept().peers, is: [bond(1).identityAddress])
  }

  @Test("The error of the last write stays when the file is released")
  func lastError() throws {
    let bonds = kept()
    try withoutFolder {
      bonds.store(bond(1))
      for _ in 0..<2 {
        bonds.close(as: nil)
        expect(bonds.failure != nil)
      }
    }
  }

  @Test("The device uses the address in its bond file, unless another is given")
  func address() throws {
    let had = DeviceAddress.staticRandom([0x0A, 0, 0, 0, 0, 0])
    let named = DeviceAddress.staticRandom([0x0B, 0, 0, 0, 0, 0])
    let first = kept()
    let new = try #require(first.address)
    expect(used(first), is: new)
    keep(1, in: first, as: had)
    first.close(as: nil)

    let second = kept()
    expect(used(second), is: had)
    expect(used(second, .fixed(named)), is: named)
    expect(used(second, .random) != had)
    expect(used(second, .public), is: nil)
    // Peers with new bonds know the given one.
    second.store(bond(2))
    second.close(as: named)
    expect(used(kept()), is: named)
  }

  @Test("A device that used its controller's address with its bonds uses it again")
  func publicAddress() {
    let first = kept()
    first.store(bond(1))
    first.close(as: SafeScene.address(0))
    guard case .automatic = kept().own(.automatic) else {
      Issue.record("not the controller's address")
      return
    }
  }

  /// The random address of a host; `nil` for any other kind.
  private func used(
    _ bonds: RadioBonds, _ choice: AddressChoice = .automatic
  ) -> DeviceAddress? {
    guard case .random(let address) = bonds.own(choice) else { return nil }
    return address
  }

  @Test("Without a path, or with an empty one, no file is used", arguments: [nil, ""])
  func none(path: String?) throws {
    let bonds = RadioBonds.kept(at: path) { Issue.record("\($0)") }
    let working = FileManager.default.currentDirectoryPath
    let before = try FileManager.default.contentsOfDirectory(atPath: working).sorted()
    let scene = try SafeScene(bonds: [bonds, RadioBonds()])
    scene.disconnect(scene.connectAndPair())
    scene.central.device.keepBonds()
    scene.central.device.closeBonds()
    expect(bonds.count, is: 1)
    expect(bonds.address == nil && bonds.failure == nil)
    expect(try FileManager.default.contentsOfDirectory(atPath: working).sorted(), is: before)
  }
}
