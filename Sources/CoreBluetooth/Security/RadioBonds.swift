import BluetoothHost

/// The bonds of a radio, for any thread: in memory, or in a store that keeps them longer. They outlive the
/// host, which is made anew when the radio is opened again.
package final class RadioBonds: BondStore, @unchecked Sendable {
  // Unchecked: the lock takes care of the store.
  private let store: Locked<AnyStore>

  /// Bonds in memory, 16 of them at most.
  package convenience init() { self.init(StandardBondTable()) }

  /// The bonds in `store`.
  package init<Store: BondStore & ~Copyable>(_ store: consuming Store) {
    self.store = Locked(BoxedStore(store))
  }

  /// How many bonds there are.
  package var count: Int { store.withLock(\.count) }

  /// The bond with this number; `nil` if there is none.
  package func bond(at index: Int) -> Bond? { store.withLock { $0.bond(at: index) } }

  /// Keeps a bond in place of that with the same identity address.
  package func store(_ bond: Bond) { store.withLock { $0.store(bond) } }

  /// Drops the bond with this number.
  package func remove(at index: Int) { store.withLock { $0.remove(at: index) } }

  /// The bond with this number has encrypted a link.
  package func markUsed(at index: Int) { store.withLock { $0.markUsed(at: index) } }

  /// The peers, that of the bond used last first.
  var peers: [DeviceAddress] {
    store.withLock { store in
      (0..<store.count).compactMap { store.bond(at: $0)?.identityAddress }
    }
  }

  /// Drops the bond with the peer of this identity address, if there is one.
  func remove(_ peer: DeviceAddress) {
    store.withLock { store in
      let number = (0..<store.count).first { store.bond(at: $0)?.identityAddress == peer }
      if let number { store.remove(at: number) }
    }
  }
}

/// A store of any kind.
private class AnyStore {
  var count: Int { 0 }
  func bond(at index: Int) -> Bond? { nil }
  func store(_ bond: Bond) {}
  func remove(at index: Int) {}
  func markUsed(at index: Int) {}
}

private final class BoxedStore<Store: BondStore & ~Copyable>: AnyStore {
  private var inner: Store

  init(_ inner: consuming Store) {
    self.inner = inner
    super.init()
  }

  override var count: Int { inner.count }
  override func bond(at index: Int) -> Bond? { inner.bond(at: index) }
  override func store(_ bond: Bond) { inner.store(bond) }
  override func remove(at index: Int) { inner.remove(at: index) }
  override func markUsed(at index: Int) { inner.markUsed(at: index) }
}
