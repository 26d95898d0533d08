/// What a device stores about a peer: keys, and its server's record of the peer.
/// Core Specification, Vol 3, Part H, 2.4. All keys have 16 bytes; shorter ones are not generated.
public struct Bond: Equatable, Sendable {
  /// The peer's identity address, or, if it has given none, its address on the link.
  public var identityAddress: DeviceAddress
  /// The key that encrypts links with the peer.
  public var longTermKey: Number128
  /// EDIV, which identifies a long term key of legacy pairing; 0 with Secure Connections.
  public var encryptedDiversifier: UInt16
  /// Rand, which identifies a long term key of legacy pairing; 0 with Secure Connections.
  public var randomNumber: UInt64
  /// The key that resolves the peer's resolvable private addresses; `nil` if it uses none.
  public var identityResolvingKey: Number128?
  /// Whether pairing was protected against man-in-the-middle attacks.
  public var isAuthenticated: Bool
  /// Whether the key came from LE Secure Connections.
  public var isSecureConnections: Bool
  /// This device's role in the pairing. A legacy key is only valid for links with the same role:
  /// Vol 3, Part H, 2.4.4.
  public var role: PairingRole
  /// The server's record of the peer; `nil` before the peer has been its client.
  public var client: ClientRecord?

  /// Creates a bond without keys.
  init() {
    identityAddress = .zero
    longTermKey = .zero
    encryptedDiversifier = 0
    randomNumber = 0
    identityResolvingKey = nil
    isAuthenticated = false
    isSecureConnections = false
    role = .responder
  }

  /// Creates a stored bond.
  public init(
    identityAddress: DeviceAddress, longTermKey: Number128, encryptedDiversifier: UInt16 = 0,
    randomNumber: UInt64 = 0, identityResolvingKey: Number128? = nil, isAuthenticated: Bool,
    isSecureConnections: Bool, role: PairingRole, client: ClientRecord? = nil
  ) {
    self.identityAddress = identityAddress
    self.longTermKey = longTermKey
    self.encryptedDiversifier = encryptedDiversifier
    self.randomNumber = randomNumber
    self.identityResolvingKey = identityResolvingKey
    self.isAuthenticated = isAuthenticated
    self.isSecureConnections = isSecureConnections
    self.role = role
    self.client = client
  }

  /// The length of the long term key in bytes.
  public static var keySize: Int { 16 }

  /// The security of a link that is encrypted with the key.
  public var security: LinkSecurity {
    var security: LinkSecurity = .encrypted | .bonded
    if isAuthenticated { security = security | .authenticated }
    if isSecureConnections { security = security | .secureConnections }
    return security
  }

  /// Whether the key is valid for a link on which this device has `role`.
  public func serves(_ role: PairingRole) -> Bool { isSecureConnections || role == self.role }

  /// Whether it has less security than `other`.
  public func isWeaker(than other: Bond) -> Bool {
    (other.isAuthenticated && !isAuthenticated)
      || (other.isSecureConnections && !isSecureConnections)
  }
}

/// The storage of a device's bonds.
///
/// Every call must return at once. `BondTable` stores them in memory; a program may write its own
/// store for a disk or for flash. The bonds have the numbers 0 to `count` − 1, which a change may
/// reassign.
public protocol BondStore: ~Copyable {
  /// The number of bonds.
  var count: Int { get }

  /// Whether a bond with a new identity address would replace another one. By default false.
  var isFull: Bool { get }

  /// The bond with this number; `nil` if there is none.
  func bond(at index: Int) -> Bond?

  /// Stores a bond, and replaces one with the same identity address. A full store drops the least
  /// recently used bond.
  mutating func store(_ bond: Bond)

  /// Drops the bond with this number. Does nothing if there is none.
  mutating func remove(at index: Int)

  /// Marks the bond with this number as used to encrypt a link. Does nothing if there is none.
  mutating func markUsed(at index: Int)
}

/// A store in memory that a program also saves elsewhere, for example in a file, after changes.
public protocol KeptBondStore: BondStore, ~Copyable {
  /// Whether there are changes since `markKept`.
  var isChanged: Bool { get }

  /// Marks a change of data that is saved with the bonds.
  mutating func markChanged()

  /// Marks the current bonds as saved.
  mutating func markKept()
}

extension BondStore where Self: ~Copyable {
  /// `false`.
  @inlinable public var isFull: Bool { false }

  /// The number of the bond with this identity address; `nil` if there is none.
  public func index(of identityAddress: DeviceAddress) -> Int? {
    for index in 0..<count where bond(at: index)?.identityAddress == identityAddress {
      return index
    }
    return nil
  }

  /// The number of the bond of the device with `address` on a link: its identity address, or a
  /// resolvable private address made with its key; `nil` if there is none.
  /// Core Specification, Vol 6, Part B, 1.3.2.3. A resolvable private address takes one AES
  /// operation for each bond.
  public func index(resolving address: DeviceAddress) -> Int? {
    if let index = index(of: address) { return index }
    guard address.isResolvable else { return nil }
    for index in 0..<count {
      if let key = bond(at: index)?.identityResolvingKey, address.isResolved(by: key) {
        return index
      }
    }
    return nil
  }

  /// The number of the bond with the legacy long term key that these values identify, for links on
  /// which this device is the peripheral; `nil` if there is none:
  /// Core Specification, Vol 3, Part H, 2.4.4.1.
  public func index(encryptedDiversifier: UInt16, randomNumber: UInt64) -> Int? {
    for index in 0..<count {
      guard let bond = bond(at: index), !bond.isSecureConnections, bond.serves(.responder) else {
        continue
      }
      if bond.encryptedDiversifier == encryptedDiversifier, bond.randomNumber == randomNumber {
        return index
      }
    }
    return nil
  }
}

/// Bonds in memory, at most `capacity`, for the lifetime of the program.
///
/// The most recently used bond is the first. A new bond in a full table replaces the last.
public struct BondTable<let capacity: Int>: KeptBondStore, ~Copyable {
  private let pinned = Pinned()
  private var bonds = InlineArray<capacity, Bond>(repeating: Bond())

  /// The number of bonds.
  public private(set) var count = 0

  /// Whether a bond with a new identity address would replace another one.
  public var isFull: Bool { count == capacity }

  /// Whether there are changes since `markKept`, so that a file of the bonds is out of date.
  public private(set) var isChanged = false

  /// Creates a table without bonds.
  public init() {}

  /// The bond with this number; `nil` if there is none.
  public func bond(at index: Int) -> Bond? { index >= 0 && index < count ? bonds[index] : nil }

  /// Marks a change of data that is saved with the bonds.
  public mutating func markChanged() { isChanged = true }

  /// Marks the current bonds as saved.
  public mutating func markKept() { isChanged = false }

  /// Stores a bond, and replaces one with the same identity address, or in a full table the least
  /// recently used one.
  public mutating func store(_ bond: Bond) {
    guard capacity > 0 else { return }
    isChanged = true
    if let index = index(of: bond.identityAddress) {
      moveToFront(index)
    } else {
      if count < capacity { count &+= 1 }
      moveToFront(count &- 1)
    }
    bonds[0] = bond
  }

  /// Drops the bond with this number, and overwrites its keys.
  public mutating func remove(at index: Int) {
    guard index >= 0, index < count else { return }
    isChanged = true
    count &-= 1
    for next in index..<count { bonds[next] = bonds[next &+ 1] }
    overwrite(&bonds[count], with: Bond())
  }

  /// Makes the bond with this number the first.
  public mutating func markUsed(at index: Int) {
    guard index > 0, index < count else { return }
    isChanged = true
    moveToFront(index)
  }

  private mutating func moveToFront(_ index: Int) {
    let bond = bonds[index]
    var position = index
    while position > 0 {
      bonds[position] = bonds[position &- 1]
      position &-= 1
    }
    bonds[0] = bond
  }
}

/// A table with the number of bonds that most devices need.
public typealias StandardBondTable = BondTable<16>
