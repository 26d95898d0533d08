/// Bonds in memory, at most `capacity` of them: they last as long as the program.
///
/// The bond that was used last is the first. A new bond that finds no room takes the place of the last.
public struct BondTable<let capacity: Int>: KeptBondStore, ~Copyable {
  private let pinned = Pinned()
  private var bonds = InlineArray<capacity, Bond>(repeating: Bond())

  /// How many bonds there are.
  public private(set) var count = 0

  /// Whether something has changed since `markKept`: a file of the bonds has to be written anew.
  public private(set) var isChanged = false

  /// A table without bonds.
  public init() {}

  /// The bond with this number; `nil` if there is none.
  public func bond(at index: Int) -> Bond? {
    index >= 0 && index < count ? bonds[index] : nil
  }

  /// Something that is kept with the bonds has changed.
  public mutating func markChanged() { isChanged = true }

  /// The bonds are kept elsewhere as they are now.
  public mutating func markKept() { isChanged = false }

  /// Keeps a bond in place of that with the same identity address, or else of the one that has been
  /// unused the longest if there are `capacity` bonds.
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

  /// Drops the bond with this number, and wipes its keys.
  public mutating func remove(at index: Int) {
    guard index >= 0, index < count else { return }
    isChanged = true
    count &-= 1
    for next in index..<count { bonds[next] = bonds[next &+ 1] }
    overwrite(&bonds[count], with: Bond())
  }

  /// The bond with this number becomes the first.
  public mutating func markUsed(at index: Int) {
    guard index > 0, index < count else { return }
    isChanged = true
    moveToFront(index)
  }

  private mutating func moveToFront(_ index: Int) {
    let bond = bonds[index]
    var place = index
    while place > 0 {
      bonds[place] = bonds[place &- 1]
      place &-= 1
    }
    bonds[0] = bond
  }
}

/// As many bonds as a device mostly needs.
public typealias StandardBondTable = BondTable<16>
