import Foundation

// Apple's framework exports Foundation too, so sources need no further import.
@_exported import Foundation

// CoreFoundation's names for times, which Foundation on Linux lacks.

/// A length of time, in seconds.
public typealias CFTimeInterval = Double

/// A moment, in seconds since the first of 2001.
public typealias CFAbsoluteTime = CFTimeInterval

/// The time now, in seconds since the first of 2001.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }
