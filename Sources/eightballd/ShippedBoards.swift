import Boards
import Linux

extension BoardTable {
  /// The boards of boards/shipped.conf, which is part of the program.
  static var shipped: BoardTable {
    unsafe BoardTable(start: clinux_boards(), count: clinux_boards_size())
  }
}
