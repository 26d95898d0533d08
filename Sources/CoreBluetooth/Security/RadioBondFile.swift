import BluetoothHost
import LinuxRadio
import LinuxSystem

/// The file of a radio's bonds, and the address that the device has had with them: a bond is worth nothing
/// if the peer does not know who comes. For any thread.
package final class RadioBondFile: Sendable {
  /// Gets what is wrong with a file, as a sentence without its full stop.
  package typealias Report = @Sendable (String) -> Void

  private struct State: ~Copyable {
    /// `nil` once it is left to others.
    var file: BondFile?
    var identity: LocalIdentity
    /// Why the file was not written when that was last tried.
    var failure: SystemError?
  }

  private let state: Locked<State>
  private let report: Report

  /// The address to go by: that of the file, or else a new one.
  let address: DeviceAddress

  /// A file that is open.
  ///
  /// - Parameters:
  ///   - identity: What it says of the device.
  ///   - report: Gets the reason when the file cannot be written, once until it can be.
  init(_ file: consuming BondFile, identity: LocalIdentity?, report: @escaping Report) {
    let identity =
      identity ?? LocalIdentity(identityResolvingKey: .zero, address: .newStaticRandom())
    address = identity.address
    state = Locked(State(file: file, identity: identity))
    self.report = report
  }

  /// Why the file was not written when that was last tried; `nil` if it was.
  var failure: SystemError? { state.withLock { $0.failure } }

  /// What a host goes by: unless `choice` names an address, the one that peers with bonds know.
  func own(_ choice: AddressChoice) -> OwnAddress {
    guard choice == .automatic, address.kind == .random else { return choice.own }
    return .random(address)
  }

  /// Writes the file anew.
  ///
  /// - Parameters:
  ///   - address: The address that the device goes by; `nil` for the last one.
  ///   - fill: Makes the bytes of the file.
  func write(
    as address: DeviceAddress?, _ fill: (LocalIdentity, inout BondFileBytes) -> Void
  ) {
    let news: SystemError? = state.withLock { state in
      guard state.file != nil else { return nil }
      if let address { state.identity.address = address }
      var bytes = BondFileBytes()
      fill(state.identity, &bytes)
      defer { bytes.wipe() }
      do throws(SystemError) {
        try state.file?.save(bytes.span)
        state.failure = nil
        return nil
      } catch {
        let isNew = state.failure == nil
        state.failure = error
        return isNew ? error : nil
      }
    }
    if let news { report("\(news.description); new bonds last as long as the radio") }
  }

  /// Leaves the file to others.
  func close() {
    state.withLock { $0.file = nil }
  }
}
