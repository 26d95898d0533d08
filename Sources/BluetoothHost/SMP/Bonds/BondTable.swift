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
  public func bond(at index: Int) -> Bond? {
    index >= 0 && index < count ? bonds[index] : nil
  }

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
