import Linux

/// Why a board's lines cannot be used.
package enum LineAccessError: Equatable, Sendable {
  /// No chip of this machine has the label.
  case noChip
  /// This user may not open the chip, and there is no group to join.
  case noPermission
  /// This user may not open the chip, and a group may.
  case notInGroup
  /// The chip has no such line.
  case noLine
  /// Another program has the line.
  case busy
  /// The chip was there and is gone.
  case vanished
  /// Anything else.
  case other

  /// What is wrong, without a full stop.
  ///
  /// Fields: %c is the chip's label; %p its path, or "the GPIO chip"; %l is "line NAME", or "a
  /// line"; %u is the user of the line; %f the kernel's text.
  package var reason: MessageTemplate {
    switch self {
    case .noChip: MessageTemplate("there is no GPIO chip “%c” on this machine")
    case .noPermission, .notInGroup: MessageTemplate("%p may not be opened")
    case .noLine: MessageTemplate("the GPIO chip “%c” has no %l")
    case .busy: MessageTemplate("%l of “%c” is in use by %u")
    case .vanished: MessageTemplate("the GPIO chip “%c” has gone")
    case .other: MessageTemplate("%l of “%c” cannot be used: %f")
    }
  }

  /// What to do, without a full stop; `nil` if no remedy is known.
  ///
  /// Fields: %g is the group that may open the chip.
  package var remedy: MessageTemplate? {
    switch self {
    case .noChip: MessageTemplate("Is this the right board? See what there is: gpiodetect")
    case .noPermission: MessageTemplate("Run with sudo")
    case .notInGroup: MessageTemplate("Join its group and log in again: sudo usermod -aG %g $USER")
    case .noLine:
      MessageTemplate("See what lines there are: gpioinfo; and name another with --set")
    case .busy: MessageTemplate("End that program, or name another line with --set")
    case .vanished: MessageTemplate("It is used again when it comes back")
    case .other: nil
    }
  }
}

#if !hasFeature(Embedded)
  // For tests: a program without a heap has no arrays.
  extension LineAccessError: CaseIterable {}
#endif
