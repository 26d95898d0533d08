import BluetoothHost
import Glibc
import LinuxRadio
import LinuxSystem

/// Which Bluetooth controller managers use, and the thread that serves it.
///
/// Apple's CoreBluetooth has no such class: a Mac or a phone has one radio, and a Linux machine has
/// what it has. A manager that is not told uses `CBRadio.default`. Managers that share a radio are
/// one device: a central and a peripheral at once, with one address.
///
/// The thread starts with the first manager, and sleeps while nothing happens. An adapter that is
/// taken from the kernel is given back as it was, when the radio is closed, when the last manager
/// of a radio of one's own has gone, and at the orderly end of the process. A process that is
/// killed leaves it to the kernel, which leaves it switched off (`btmgmt power on`).
///
/// As a program that writes to sockets must, the process ignores SIGPIPE from then on.
public final class CBRadio: @unchecked Sendable {
  // Unchecked: `engine` takes care of itself.
  let engine: RadioEngine

  /// The radio of managers that are not told which: that which EIGHTBALL_RADIO names, in the words
  /// of `init(_:address:bonds:)`; without it, the first adapter that may be used, or else the user's virtual air.
  ///
  /// Its address is the one that EIGHTBALL_ADDRESS names, and the file of its bonds the one that
  /// EIGHTBALL_BONDS names, in the words of `init(_:address:bonds:)`.
  ///
  /// Where EIGHTBALL_RADIO names no radio, or EIGHTBALL_ADDRESS no address, that is logged, and the
  /// state is `unsupported`.
  public static let `default`: CBRadio = {
    let radio = CBRadio(
      .default(
        named: LinuxSystem.Process.environment("EIGHTBALL_RADIO"),
        address: LinuxSystem.Process.environment("EIGHTBALL_ADDRESS"),
        bonds: LinuxSystem.Process.environment("EIGHTBALL_BONDS")))
    atexit { CBRadio.default.close() }
    return radio
  }()

  /// A radio of one's own. It is opened when the first manager uses it; until that succeeds, it is
  /// tried again and again, and the managers' state and the log say why.
  ///
  /// - Parameters:
  ///   - name: `virtual`, `unix:PATH`, `tcp-client:HOST:PORT`, `tcp-server:HOST:PORT`,
  ///     `serial:DEVICE[,BAUD]`, `hciN` or `hci-socket:N`. Each instance with the name `virtual` is
  ///     a device of its own on the virtual air of this user, or that at $EIGHTBALL_AIR.
  ///   - address: The address that peers know the device by: a static random address such as
  ///     `C0:00:00:00:00:01` (Core Specification, Vol 6, Part B, 1.3.2.1), which the next run may
  ///     have again; `random`, a new one; or `public`, the controller's own. Without it, the one
  ///     that the device had with its `bonds`; or else the controller's own, or a new random one if it
  ///     has none.
  ///   - bonds: The path of the file in which the radio keeps its bonds. It is the user's alone, and one
  ///     radio has it at a time, from here to the end of `close`. It is written soon after a bond has
  ///     changed. A file that cannot be used is logged, and a damaged one gets the suffix `.unusable`. With
  ///     `nil`, or an empty path, bonds last as long as the radio.
  /// - Throws: What was expected in place of `name` or `address`.
  public convenience init(_ name: String, address: String? = nil, bonds: String? = nil) throws {
    let name = try RadioName(name)
    let address = try address.map { try AddressChoice($0) } ?? .automatic
    self.init(
      RadioEngine(name, address: address, bonds: .kept(at: bonds), stopsWhenUnused: true))
  }

  /// A radio of one's own, with sinks for its packets.
  package convenience init(
    _ name: RadioName, address: AddressChoice = .automatic, watchedBy sinks: [any PacketSink],
    bonds: RadioBonds = RadioBonds()
  ) {
    self.init(
      RadioEngine(name, address: address, sinks: sinks, bonds: bonds, stopsWhenUnused: true))
  }

  /// Has `body` told, on the radio's thread, each time why the radio cannot be used, or no more. To
  /// be called before a manager uses it.
  package func onTrouble(_ body: @escaping @Sendable (RadioError) -> Void) {
    engine.onTrouble(body)
  }

  init(_ engine: RadioEngine) {
    self.engine = engine
  }

  deinit {
    engine.close(waits: false)
  }

  /// Ends every link, and frees the controller; gives back an adapter, and the file of the bonds. Takes no longer than 2 s, and
  /// returns when it is done, unless it is called where callbacks of this module run.
  ///
  /// The managers that use it are told that they are powered off, and stay so. Closing a radio that
  /// is closed does nothing.
  public func close() {
    engine.close(waits: true)
  }
}

// What managers use.
extension CBRadio {
  /// Runs `body` on the radio's thread, in the order of the calls; `false` if the radio is closed. The
  /// thread starts with the first call.
  ///
  /// What is asked as a radio of one's own is freed waits until somebody observes its state.
  @discardableResult
  func perform(_ body: @escaping @Sendable (DeviceProgram, Instant) -> Void) -> Bool {
    engine.perform(body)
  }

  /// Tells what the radio is: at once, and at each change until the observation is cancelled or
  /// gone. On the radio's thread, or, of a radio that is closed or names none, on the caller's.
  func observeState(_ body: @escaping @Sendable (CBManagerState) -> Void) -> Observation {
    Observation(engine, engine.observe(body))
  }

  /// Whoever watches a radio's state. While there is one, the radio is in use.
  final class Observation: Sendable {
    private let engine: RadioEngine
    private let id: Int

    fileprivate init(_ engine: RadioEngine, _ id: Int) {
      self.engine = engine
      self.id = id
    }

    deinit { cancel() }

    /// Tells nothing more, apart from what is just being told.
    func cancel() {
      engine.endObservation(id)
    }
  }
}
