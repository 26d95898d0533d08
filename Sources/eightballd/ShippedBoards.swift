import Boards
import CLinuxPort

extension BoardTable {
  /// The boards of boards/shipped.conf, which is part of the program.
  static var shipped: BoardTable {
    unsafe BoardTable(start: clinuxport_boards(), count: clinuxport_boards_size())
  }
}
