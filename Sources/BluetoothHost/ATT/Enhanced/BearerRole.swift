/// What a host needs of its enhanced ATT bearers.
///
/// `EnhancedBearers` has them, and `CreditBasedChannels` passes these calls on to it. By default there are
/// none, and the code for them is left out. Only the host and its channels call these requirements.
public protocol BearerRole: ~Copyable {
  /// Whether there can be bearers. If false, their code is left out.
  static var hasBearers: Bool { get }
  /// Calls `body` with the bearer that has the number `number`; `nil` if there is none.
  mutating func withBearer<Result>(_ number: Int, _ body: (inout EnhancedBearer) -> Result)
    -> Result?
  /// Calls `body` with the state of the link's own bearer; `nil` without enhanced ones.
  mutating func withOwnBearer<Result>(_ link: Int, _ body: (inout BearerTurn) -> Result) -> Result?
  /// Whether the server's application has put off a request on a bearer of the link.
  func hasPutOff(at link: Int) -> Bool
  /// The links on which a request that waited for another has its turn.
  var linksInTurn: ConnectionSet { get set }
  /// The number of a bearer that has something for the host; `nil` if there is none.
  mutating func takeNextBearer() -> Int?
  /// The bearers of the link, by number.
  func bearers(at link: Int) -> ConnectionSet
}

extension BearerRole where Self: ~Copyable {
  /// False.
  public static var hasBearers: Bool { false }
  /// Nothing.
  public mutating func withBearer<Result>(
    _ number: Int, _ body: (inout EnhancedBearer) -> Result
  ) -> Result? { nil }
  /// Nothing.
  public mutating func withOwnBearer<Result>(
    _ link: Int, _ body: (inout BearerTurn) -> Result
  ) -> Result? { nil }
  /// False.
  public func hasPutOff(at link: Int) -> Bool { false }
  /// None.
  public var linksInTurn: ConnectionSet {
    get { .none }
    set {}
  }
  /// None.
  public mutating func takeNextBearer() -> Int? { nil }
  /// None.
  public func bearers(at link: Int) -> ConnectionSet { .none }
}
