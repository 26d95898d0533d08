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
  @inlinable
  public var isFull: Bool { false }

  /// The number of the bond with this identity address; `nil` if there is none.
  public func index(of identityAddress: DeviceAddress) -> Int? {
    for index in 0..<count where bond(at: index)?.identityAddress == identityAddress {
      return index
    }
    return nil
  }

  /// The number of the bond of the device with `address` on a link: its identity address, or a
  /// resolvable private address made with its key; `nil` if there is none.
  ///
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
  /// which this device is the peripheral; `nil` if there is none.
  ///
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
