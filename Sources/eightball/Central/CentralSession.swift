import BluetoothHost
import LinuxRadio

/// The state of a central with one link: its host, the search, the link's progress and the end.
struct CentralSession: ~Copyable {
  /// A host that is only a client, with one link, one channel and the enhanced bearers that one
  /// request can open.
  typealias Host = BluetoothHost.Host<
    1, NoServer, ToolClient,
    SecurityManager<1, P256KeyAgreement, AirRandom, BondTable<16>, PairingPrompts>,
    CreditBasedChannels<1, 6, EnhancedBearers<1, 5, ChannelEvents>>
  >

  /// What happens with the first candidate.
  enum Stage: Equatable {
    /// There is none, or it is connected to later: at this time at the earliest.
    case waiting(until: Instant)
    /// The host connects to it, since this time.
    case connecting(since: Instant)
    /// The attempt gives way to the scan.
    case yielding
    /// The link is open.
    case linked
    /// The link to an earlier one is being ended.
    case dropping
  }

  /// A request that waits until its link is protected.
  struct Securing {
    /// The peripheral's error: the result, if the link cannot be protected.
    let refusal: OperationError
    /// The link's security before.
    let before: LinkSecurity
    /// Whether the Security Manager has begun.
    var hasBegun = false
    /// Whether a pairing has succeeded.
    var isPaired = false
  }

  /// How long an attempt or the scan has the radio while the other waits, in milliseconds.
  static let turn: UInt32 = 2_000
  /// How long an attempt waits after the controller could not connect, in milliseconds.
  static let retryPause: UInt32 = 250
  /// How long a peripheral is prepared before the scan goes on beside it, in milliseconds.
  static let scanPause: UInt32 = 250
  /// How long no peripheral is taken after this side had no room for a link, in milliseconds.
  static let roomPause: UInt32 = 5_000
  /// How long the end of the link may take, in milliseconds.
  static let disconnectTimeout: UInt32 = 2_000

  var host: Host
  let limits: CentralLimits
  /// Whether to pair if the peripheral requires it.
  let pairs: Bool
  let printer: CentralPrinter
  var bonds: KeptBonds

  /// The peripherals found. The first one is being prepared or used.
  var candidates: [NearbyDevice] = []
  /// Peripherals that are not taken again.
  var rejected: [DeviceAddress] = []
  var stage = Stage.waiting(until: Instant(rawValue: 0))
  /// Whether the first candidate is the one to use.
  var isChosen = false
  /// Why the bond's key did not encrypt the link, which therefore ends; `nil` if it does not.
  var closing: HCIErrorCode?
  /// The request that waits until the link is protected.
  var securing: Securing?

  /// The outcome if no other peripheral is found.
  var fallback = CentralOutcome.notFound
  var isSearchOver = false
  /// The outcome; `nil` until then.
  var outcome: CentralOutcome?

  var searchEnd: Instant?
  var wholeEnd: Instant?
  var preparationEnd: Instant?
  var scanResumption: Instant?
  /// Until when no peripheral is taken.
  var roomTime: Instant?
  /// When the program ends at the latest.
  var shutdownEnd: Instant?
  var isShuttingDown = false
  /// Whether the end of the link has taken too long.
  var hasTimedOut = false

  /// - Parameters:
  ///   - limits: How long the search and the preparation may take.
  ///   - pairs: Whether to pair if the peripheral requires it.
  ///   - address: The address of this device.
  ///   - bonds: The bonds with peripherals, which the session takes.
  ///   - time: The time on its radio.
  ///   - printer: Prints the progress.
  init(
    limits: CentralLimits, pairs: Bool, address: AddressChoice, bonds: consuming KeptBonds,
    time: AirTime, printer: CentralPrinter
  ) {
    self.limits = limits
    self.pairs = pairs
    self.printer = printer
    let own = bonds.own(address)
    let random = bonds.random(address, of: time)
    // bluetoothd pairs on a radio beside it: no keys are computed for that here.
    let isOpen = pairs && bonds.linkSecurity == .none
    let policy = PairingPolicy(
      isOpen: isOpen, ioCapability: isOpen ? .keyboardDisplay : .noInputNoOutput,
      confirmsJustWorks: isOpen)
    host = Host(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("eightball")), service: nil, address: own),
      server: NoServer(),
      client: ToolClient(application: ClientEvents(reportsChangesOnly: false)),
      security: SecurityManager(
        policy: policy, identity: nil, bonds: bonds.takeBonds(), delegate: PairingPrompts(),
        agreement: P256KeyAgreement(), random: random),
      channels: CreditBasedChannels(
        application: EnhancedBearers(application: ChannelEvents(), acceptsBearers: false),
        mps: .twoPackets))
    host.security.linkSecurity = bonds.linkSecurity
    self.bonds = bonds
  }

  /// How long an attempt to connect may take, in milliseconds, until others have their turn. bluetoothd also finds the
  /// attributes of the device before it reports a link, with up to 30 s for a response, and pairs, with up to 60 s.
  var attemptLimit: UInt32 {
    guard host.security.linkSecurity != .none else { return Self.turn }
    return pairs ? 90_000 : 30_000
  }

  /// When the search or the preparation continues or ends; `nil` if neither is under way.
  var deadline: Instant? {
    var earliest = Instant.earlier(host.deadline, shutdownEnd)
    guard outcome == nil else { return earliest }
    if case .waiting(let time) = stage, !candidates.isEmpty { earliest = .earlier(earliest, time) }
    if case .connecting(let since) = stage {
      earliest = .earlier(earliest, since.advanced(by: attemptLimit))
    }
    earliest = .earlier(earliest, .earlier(searchEnd, wholeEnd))
    return .earlier(earliest, .earlier(preparationEnd, scanResumption))
  }

  /// Writes the changed bonds to their file.
  mutating func keepBonds() {
    bonds.keep(host.security.bonds, as: host.address)
    host.security.bonds.markKept()
  }
}

/// How long a central may take, in milliseconds.
struct CentralLimits {
  /// To look for the peripheral.
  var search: UInt32 = 5_000
  /// To prepare a peripheral that was found, until it can be used.
  var preparation: UInt32 = 10_000
  /// For all of it together, from when the radio is ready; `nil` without a limit.
  var whole: UInt32?
}

/// How the work of a central ended.
enum CentralOutcome: Equatable {
  case answered(String)
  /// The ball refused: not a question.
  case refused
  /// The peripheral refused, or the request failed, for this reason.
  case failed(CentralError)
  /// No peripheral was found.
  case notFound
  /// A peripheral was found, and could not be used in time.
  case unreachable(CentralError?)
  /// The device with this name lacks the ball's service.
  case noService(name: String)
  case timedOut
  /// The peripheral disconnected before the end.
  case disconnected
  case cancelled
  case radioFailed(RadioError)
  /// The work is done: the questions or commands have ended.
  case inputEnded
}

/// Why a peripheral could not be used.
enum CentralError: Error, Equatable {
  /// The link ended, or could not be made.
  case offline
  /// This side has no room for another link.
  case connectionLimit
  /// The bond's key did not encrypt the link.
  case keys
  /// The peripheral's attributes could not be discovered.
  case discovery(ATTErrorCode)
  /// The peripheral refused a request.
  case refused(ATTErrorCode)

  /// Why an operation failed; `nil` if the link ends, which is reported separately.
  ///
  /// - Parameter isDiscovery: Whether the operation discovers attributes.
  init?(_ error: OperationError, isDiscovery: Bool) {
    let code: ATTErrorCode
    switch error {
    case .timedOut, .disconnected: return nil
    case .encryptionFailed(let reason) where reason.isAboutKeys:
      self = .keys
      return
    case .encryptionFailed: code = .insufficientEncryption
    case .refused(let response): code = response.code
    case .wrongResponse(.valueTooLong), .tooLong: code = .invalidAttributeValueLength
    case .wrongResponse(.echoDiffers): code = .unlikelyError
    case .wrongResponse: code = .invalidPDU
    }
    self = isDiscovery ? .discovery(code) : .refused(code)
  }
}

extension HCIErrorCode {
  /// Whether it means that a bond's key is missing or different.
  var isAboutKeys: Bool {
    self == .pinOrKeyMissing || self == .connectionTimeout || self == .linkLayerResponseTimeout
  }
}
