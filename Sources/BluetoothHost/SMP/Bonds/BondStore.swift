/// Where the bonds of a device are kept.
///
/// Every call is answered at once. `BondTable` keeps them in memory; a store that writes to a disk or
/// to flash has its own. The bonds are numbered from 0 to `count` − 1; a change may number them anew.
public protocol BondStore: ~Copyable {
  /// How many bonds there are.
  var count: Int { get }

  /// The bond with this number; `nil` if there is none.
  func bond(at index: Int) -> Bond?

  /// Keeps a bond in place of that with the same identity address. A full store drops the bond that
  /// has been unused the longest.
  mutating func store(_ bond: Bond)

  /// Drops the bond with this number. Nothing happens if there is none.
  mutating func remove(at index: Int)

  /// The bond with this number has encrypted a link. Nothing happens if there is none.
  mutating func markUsed(at index: Int)
}

/// A store in memory, which its owner keeps elsewhere as well, such as in a file, when it has changed.
public protocol KeptBondStore: BondStore, ~Copyable {
  /// Whether something has changed since `markKept`.
  var isChanged: Bool { get }

  /// Something that is kept with the bonds has changed.
  mutating func markChanged()

  /// The bonds are kept elsewhere as they are now.
  mutating func markKept()
}

extension BondStore where Self: ~Copyable {
  /// The number of the bond with this identity address; `nil` if there is none.
  public func index(of identityAddress: DeviceAddress) -> Int? {
    for index in 0..<count where bond(at: index)?.identityAddress == identityAddress {
      return index
    }
    return nil
  }

  /// The number of the bond of the device that has `address` on a link: its identity address, or a
  /// resolvable private address made with its key; `nil` if there is none.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.2.3. An address that is no identity address costs one AES
  /// for each bond.
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

  /// The number of the bond whose legacy long term key has this name, in links in which this device is
  /// the peripheral; `nil` if there is none.
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
