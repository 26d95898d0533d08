import BluetoothHost

/// How a central behaves. All times are in milliseconds.
public struct CentralConfiguration: Equatable, Sendable {
  /// The static random address that the central takes when the controller has no address of its
  /// own, or when `prefersRandomAddress` says so. Its two top bits are made ones.
  public var randomAddress: DeviceAddress
  /// Whether to take the random address even if the controller has a public one.
  public var prefersRandomAddress = false

  /// How long a controller may take to answer a command.
  public var commandTimeout: UInt32 = 2_000
  /// How many times a controller may fail, with no peer heard in between, before it is given up.
  public var startAttempts = 3
  /// How long an attempt to connect lasts, unless `connect` is told otherwise.
  public var connectionTimeout: UInt32 = 10_000
  /// How long an attempt of those that go on, or a scan, has the radio to itself while another
  /// waits for it.
  public var turn: UInt32 = 2_000
  /// How long an attempt of those that go on waits after the controller could not connect.
  public var retryPause: UInt32 = 250
  /// How long the controller may take to tell that a link is closed, or an attempt cancelled.
  public var closingTimeout: UInt32 = 2_000
  /// How long a server may take to answer a request, after which the link is closed.
  ///
  /// Core Specification, Vol 3, Part F, 3.3.3: 30 seconds.
  public var transactionTimeout: UInt32 = 30_000

  /// What it connects with: an interval of 7.5 to 30 ms, no latency, and 2 s until a silent link is
  /// given up.
  public var connectionParameters = ConnectionParameters(
    minimumInterval: 6, maximumInterval: 24, latency: 0, supervisionTimeout: 200)

  /// The ordinary behaviour, with `randomAddress` in reserve.
  public init(randomAddress: DeviceAddress) {
    self.randomAddress = DeviceAddress.staticRandom(randomAddress.bytes)
  }

  /// The ordinary behaviour, by `address`. `public` is the controller's own address, or a new random
  /// one where it has none.
  public init(address: OwnAddress) {
    switch address {
    case .automatic(let random):
      self.init(randomAddress: random)
    case .public:
      self.init(
        randomAddress: .staticRandom(
          InlineArray<6, UInt8> { _ in UInt8.random(in: .min ... .max) }))
    case .random(let random):
      self.init(randomAddress: random)
      prefersRandomAddress = true
    }
  }
}
