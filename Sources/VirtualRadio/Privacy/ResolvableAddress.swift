import BluetoothHost

/// An identity resolving key (IRK), which generates and resolves private addresses.
///
/// Core Specification, Vol 6, Part B, 1.3.2.2 and 1.3.2.3.
struct ResolvingKey {
  private let key: Number128

  /// `nil` for zeros, which mean no key.
  init?(_ key: Number128) {
    guard key != .zero else { return nil }
    self.key = key
  }

  /// A private address with the low 22 bits of `random` as its random part.
  func makeAddress(_ random: UInt64) -> DeviceAddress {
    // The two most significant bits 0b01 mean that the address is resolvable.
    let prand = UInt32(truncatingIfNeeded: random) & 0x3F_FFFF | 0x40_0000
    let hash = PairingFunctions.ah(k: key, r: prand)
    return DeviceAddress(
      kind: .random,
      bytes: InlineArray<6, UInt8> { index in
        let part = index < 3 ? hash : prand
        return UInt8(truncatingIfNeeded: part >> UInt32(8 * (index % 3)))
      })
  }

  /// Whether the resolvable `address` was generated with this key.
  func resolves(_ address: DeviceAddress) -> Bool {
    let bytes = address.bytes
    func part(_ offset: Int) -> UInt32 {
      UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset + 2]) << 16
    }
    return PairingFunctions.ah(k: key, r: part(3)) == part(0)
  }
}

extension DeviceAddress {
  /// Whether it is a resolvable private address. Core Specification, Vol 6, Part B, 1.3.2.2.
  var isResolvable: Bool { kind == .random && bytes[5] >> 6 == 0b01 }

  /// The same address with the type that events use for a resolved device: 0x02 or 0x03.
  var asResolved: DeviceAddress {
    DeviceAddress(kind: Kind(rawValue: kind.rawValue | 0b10), bytes: bytes)
  }
}
