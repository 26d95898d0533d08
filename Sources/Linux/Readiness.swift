/// What a descriptor is ready for, or what to wait for: the flags of <sys/epoll.h>.
///
/// Not an `OptionSet`, whose array literals need a heap.
public struct Readiness: RawRepresentable, Equatable, Sendable {
  /// The kernel's flags.
  public var rawValue: UInt32

  /// Any flags, known or not.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// There is something to read, or the other side has closed.
  public static var readable: Readiness { Readiness(rawValue: 0x001) }
  /// Some bytes can be written.
  public static var writable: Readiness { Readiness(rawValue: 0x004) }
  /// The other side is gone, or the descriptor has failed. The kernel always reports it.
  public static var hangUp: Readiness { Readiness(rawValue: 0x008 | 0x010) }
  /// As `writable`, but reported once, and then nothing until the descriptor is changed.
  package static var writableOnce: Readiness { Readiness(rawValue: 0x004 | 1 &<< 30) }
  /// As `readable`, but reported once, and again only when more arrives.
  public static var readableEdge: Readiness { Readiness(rawValue: 0x001 | 1 &<< 31) }

  /// No flag. The end of the connection is always reported.
  public static var none: Readiness { Readiness(rawValue: 0) }
  /// Both.
  public static var readableOrWritable: Readiness { Readiness(rawValue: 0x001 | 0x004) }

  /// Adds flags.
  public mutating func add(_ other: Readiness) { rawValue |= other.rawValue }

  /// Whether a read would find bytes, the end, or the error.
  public var isReadable: Bool { rawValue & (0x001 | 0x008 | 0x010) != 0 }

  /// Whether a write would be taken, or would find the error.
  public var isWritable: Bool { rawValue & (0x004 | 0x008 | 0x010) != 0 }

  /// Whether the other side is gone or the descriptor has failed; a read shows which.
  public var isHangUp: Bool { rawValue & (0x008 | 0x010) != 0 }
}
