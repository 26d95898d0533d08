import BluetoothHost
import LinuxRadio
import LinuxSystem

/// The file of a radio's bonds, and the device's address with them: a bond is useless if the peer
/// does not recognise the address. For any thread.
package final class RadioBondFile: Sendable {
  /// Receives an error of the file, as a sentence without its full stop.
  package typealias Report = @Sendable (String) -> Void

  private struct State: ~Copyable {
    /// `nil` once released.
    var file: BondFile?
    var identity: LocalIdentity
    /// The error of the last write; `nil` if it succeeded.
    var failure: SystemError?
  }

  private let state: Locked<State>
  private let report: Report

  /// The address of the device: that in the file, or else a new one.
  let address: DeviceAddress

  /// An open file.
  ///
  /// - Parameters:
  ///   - identity: The device's identity in the file.
  ///   - report: Receives the first error of a series of failed writes.
  init(_ file: consuming BondFile, identity: LocalIdentity?, report: @escaping Report) {
    let identity =
      identity ?? LocalIdentity(identityResolvingKey: .zero, address: .newStaticRandom())
    address = identity.address
    state = Locked(State(file: file, identity: identity))
    self.report = report
  }

  /// The error of the last write; `nil` if it succeeded.
  var failure: SystemError? { state.withLock { $0.failure } }

  /// The address for the host: the one that bonded peers know, unless `choice` names another.
  func own(_ choice: AddressChoice) -> OwnAddress {
    guard choice == .automatic, address.kind == .random else { return choice.own }
    return .random(address)
  }

  /// Writes the file.
  ///
  /// - Parameters:
  ///   - address: The address of the device; `nil` for the last one.
  ///   - fill: Makes the bytes of the file.
  func write(
    as address: DeviceAddress?, _ fill: (LocalIdentity, inout BondFileBytes) -> Void
  ) {
    let newFailure: SystemError? = state.withLock { state in
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
    if let newFailure {
      report("\(newFailure.description); new bonds last as long as the radio")
    }
  }

  /// Releases the file.
  func close() {
    state.withLock { $0.file = nil }
  }
}
