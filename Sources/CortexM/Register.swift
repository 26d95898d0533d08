import CCortexM

/// The bits of a register, with a name for each.
///
/// Not an `OptionSet`, which Embedded Swift refuses without a heap.
protocol RegisterBits {
  /// All of them.
  var rawValue: UInt32 { get }

  /// These bits, with or without a name.
  init(rawValue: UInt32)
}

extension RegisterBits {
  /// The bit with this number alone.
  init(bit: UInt32) {
    self.init(rawValue: 1 &<< bit)
  }

  /// No bit.
  static var none: Self { Self(rawValue: 0) }

  /// Whether all bits of `other` are set.
  func contains(_ other: Self) -> Bool {
    rawValue & other.rawValue == other.rawValue
  }

  /// Whether at least one bit of `other` is set.
  func containsAny(_ other: Self) -> Bool {
    rawValue & other.rawValue != 0
  }

  /// The bits of either.
  static func | (left: Self, right: Self) -> Self {
    Self(rawValue: left.rawValue | right.rawValue)
  }

  /// The bits of the first that the second does not have.
  static func - (left: Self, right: Self) -> Self {
    Self(rawValue: left.rawValue & ~right.rawValue)
  }
}

/// A number in a register, for registers that are not made of bits with names.
extension UInt32: RegisterBits {
  /// The number itself.
  var rawValue: UInt32 { self }

  /// The number itself.
  init(rawValue: UInt32) { self = rawValue }
}

/// A register of 32 bits. Each read and each write happens, in the order of the source.
struct Register<Bits: RegisterBits> {
  /// Where it is.
  let address: UInt

  /// The register at `address`, which has to be one of this processor or chip.
  init(_ address: UInt) {
    self.address = address
  }

  /// What it holds. A read may have effects of its own: see the chip's data sheet.
  @inline(__always)
  var value: Bits {
    get { Bits(rawValue: cortexm_load(address)) }
    nonmutating set { cortexm_store(address, newValue.rawValue) }
  }
}
