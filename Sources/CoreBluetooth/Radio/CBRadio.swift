import BluetoothHost
import Foundation
import LinuxRadio

/// The Bluetooth controller that managers use, and the thread that serves it.
///
/// Apple's CoreBluetooth has no such class: a Mac or a phone has one radio, while Linux machines
/// differ. Managers use `CBRadio.default` unless another is given. Managers that share a radio are
/// one device: a central and a peripheral at once, with one address.
///
/// The thread starts with the first manager, and sleeps while nothing happens. An adapter taken
/// from the kernel is given back as it was: when the radio is closed, when the last manager of a
/// radio other than the default is released, and at the orderly end of the process. After a kill,
/// the kernel leaves the adapter switched off (`btmgmt power on`).
///
/// On a virtual air with simulated time (`eightball radio --time simulated`) the radio goes by the air's
/// clock, which waits until the delegates of its managers have returned: see `CBSimulatedClock`, which
/// waits for the same things.
///
/// Once the thread has started, the process ignores SIGPIPE: a write to a closed socket then fails
/// instead of ending the process.
public final class CBRadio: @unchecked Sendable {
  let engine: DeviceEngine
  /// How the delegates of its managers are called.
  var calls: DelegateCalls { engine.calls }

  /// The default radio. EIGHTBALL_RADIO names it, EIGHTBALL_ADDRESS its address and EIGHTBALL_BONDS
  /// the file of its bonds, as in `init(_:address:bonds:)`. Without EIGHTBALL_RADIO it is the first
  /// adapter that may be used, or else the user's virtual air.
  ///
  /// If EIGHTBALL_RADIO or EIGHTBALL_ADDRESS cannot be used, that is logged, and the state is
  /// `unsupported`. Within `withDefault` it is another radio.
  public static var `default`: CBRadio { taskDefault ?? processDefault }

  @TaskLocal private static var taskDefault: CBRadio?

  private static let processDefault = CBRadio(
    RadioEngine.default(
      named: CurrentProcess.environment("EIGHTBALL_RADIO"),
      address: CurrentProcess.environment("EIGHTBALL_ADDRESS"),
      bonds: CurrentProcess.environment("EIGHTBALL_BONDS")))

  /// Calls `body`, for which `default` is `radio`: a test gives a simulated radio to an app whose code
  /// names no radio. Only managers that `body` itself makes use it, or a task that it starts.
  public static func withDefault<Result>(
    _ radio: CBRadio, _ body: () throws -> Result
  ) rethrows -> Result {
    try $taskDefault.withValue(radio, operation: body)
  }

  /// A radio. It is opened when the first manager uses it, and opening is retried until it
  /// succeeds. Meanwhile the managers' state and the log show the reason.
  ///
  /// - Parameters:
  ///   - name: `virtual`, `unix:PATH`, `tcp-client:HOST:PORT`, `tcp-server:HOST:PORT`,
  ///     `serial:DEVICE[,BAUD]`, `hciN`, `hci-socket:N`, or `bluez:hciN` to share an adapter with bluetoothd, which then
  ///     chooses the address, pairs, and has the bonds. Each instance with the name `virtual` is
  ///     a separate device on the virtual air of this user, or on that at $EIGHTBALL_AIR.
  ///   - address: The device's address: a static random address such as `C0:00:00:00:00:01` (Core
  ///     Specification, Vol 6, Part B, 1.3.2.1), which the next run may have again; `random`, a new
  ///     one; or `public`, the controller's. Without it: the address that the device had with its
  ///     `bonds`, or else the controller's, or a new random one if the controller has none. With
  ///     `bluez:hciN` it is `nil`.
  ///   - bonds: The path of the file in which the radio keeps its bonds. Only the user can access
  ///     it, and only one radio uses it at a time, until the end of `close`. It is written soon
  ///     after a bond has changed. Its lock is the file with the suffix `.lock`. An unusable file is
  ///     logged and left alone; the bonds then last as long as the radio, as with `nil` or an empty
  ///     path.
  /// - Throws: An error that says what was expected instead of `name` or `address`.
  public convenience init(_ name: String, address: String? = nil, bonds: String? = nil) throws {
    self.init(
      try RadioEngine(RadioAddress(name), address: address, bonds: bonds, stopsWhenUnused: true))
  }

  init(_ engine: DeviceEngine) { self.engine = engine }

  deinit { engine.close(waits: false) }

  /// Ends every link, and releases the controller, the adapter and the file of the bonds, within 2
  /// s. Returns when that is done, or at once if called from a callback of this module.
  ///
  /// The managers that use it become and stay powered off. Closing it again has no effect.
  public func close() { engine.close(waits: true) }
}

extension CBRadio {
  /// The device and its engines. Only the place where it is served uses it, apart from what its types
  /// permit.
  var device: LocalDevice { engine.device }

  /// Runs `body` on the radio's thread, in the order of the calls; `false` if the radio is closed.
  /// The thread starts with the first call. A call while an unused radio is being released waits
  /// until its state is observed again.
  @discardableResult func perform(_ body: @escaping @Sendable (LocalDevice) -> Void) -> Bool {
    engine.perform(whileServing: false, body)
  }

  /// Reports the radio's state at once and at each change, until the result is released: on the radio's
  /// thread, or on the caller's if the radio is closed or has no name. The result keeps the radio in use.
  func watchState(_ body: @escaping @Sendable (CBManagerState) -> Void) -> AnyObject {
    Observation(engine, engine.observe(body))
  }

  /// An observation of a radio's state. It keeps the radio in use.
  private final class Observation: Sendable {
    private let engine: DeviceEngine
    private let id: Int

    init(_ engine: DeviceEngine, _ id: Int) {
      self.engine = engine
      self.id = id
    }

    /// Ends the reports, apart from one that is being delivered.
    deinit { engine.endObservation(id) }
  }
}

extension CBRadio {
  /// How the radio pairs; `CBPairing.automatic` by default. A change does not affect a pairing that
  /// has begun. The radio `bluez:hciN` ignores it: bluetoothd asks its agent.
  public var pairing: CBPairing {
    get { device.pairing.settings.withLock(\.self) }
    set {
      device.pairing.settings.withLock { $0 = newValue }
      engine.perform(whileServing: true) { $0.updatePolicy() }
    }
  }

  /// The identifiers of the peers with a bond, the most recently used bond first.
  public var bondedPeers: [UUID] { device.bonds.peers.map { UUID($0) } }

  /// Deletes the bond with a peer, which then has to pair again. An encrypted link stays encrypted.
  /// Has no effect if there is no bond.
  public func removeBond(with identifier: UUID) {
    guard let peer = DeviceAddress(identifier) else { return }
    let isTaken = engine.perform(whileServing: true) { $0.removeBond(peer) }
    guard !isTaken else { return }
    // No thread uses the bonds now.
    device.bonds.remove(peer)
    device.bonds.keep(as: nil)
  }
}

extension RadioEngine {
  /// An engine with the address and the file of bonds that are set.
  ///
  /// - Throws: What was expected instead of `address`.
  convenience init(
    _ name: RadioAddress, address: String?, bonds: String?, stopsWhenUnused: Bool
  ) throws {
    let address = try address.map { try AddressChoice($0) } ?? .automatic
    guard address == .automatic || !name.isBesideDaemon else {
      throw AddressConflict(radio: name.description)
    }
    self.init(name, address: address, bonds: .kept(at: bonds), stopsWhenUnused: stopsWhenUnused)
  }

  /// The engine of the default radio, with this name, address and file of bonds if they are set.
  static func `default`(named name: String?, address: String? = nil, bonds: String? = nil)
    -> RadioEngine
  {
    do {
      return try RadioEngine(
        name.map { try RadioAddress($0) } ?? chosen(), address: address, bonds: bonds,
        stopsWhenUnused: false)
    } catch let error as RadioTextError { Log.logger.error("EIGHTBALL_RADIO: \(error)") } catch {
      Log.logger.error("EIGHTBALL_ADDRESS: \(error)")
    }
    return RadioEngine(nil, stopsWhenUnused: false)
  }

  private static func chosen() -> RadioAddress {
    let choice = DefaultRadio.choose()
    Log.logger.debug("using \(choice.name.description): \(choice.reason)")
    return choice.name
  }
}

/// An address was named for an adapter whose address bluetoothd chooses.
struct AddressConflict: Error, Equatable, CustomStringConvertible {
  let radio: String

  var description: String {
    "with the radio \(radio), bluetoothd chooses the address: leave the address out"
  }
}
