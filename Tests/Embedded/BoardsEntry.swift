// Compiled by scripts/check embedded with the core: everything that a program without a heap needs
// of its boards.

import BluetoothHost
import EightBall

/// Chooses a board by its name, by a model or by settings, changes it, and writes what is wrong.
///
/// - Returns: A value that depends on every call, so that nothing is optimised away.
@c(eightball_boards_entry)
public func boards(_ byte: UInt8) -> UInt32 {
  let table = BoardTable("[b]\nmodel=Machine\nchip=virtual\nshake.line=GPIO18\n")
  let text = InlineArray<32, UInt8>(repeating: byte)
  var message = InlineArray<512, UInt8>(repeating: 0)
  var writer = ByteWriter(message.mutableSpan)
  var sum = UInt32(truncatingIfNeeded: table.count)

  table.writeNames(ofRealBoardsTo: &writer)
  var index = table.index(named: text.span) ?? 0
  switch table.search(model: ModelSearch.model(inProperty: text.span)).result {
  case .none: break
  case .board(let number): index = number
  case .several(let first): sum &+= UInt32(truncatingIfNeeded: first)
  }
  do throws(BoardFileError) {
    let file = try BoardFile(text.span, name: "b")
    sum &+= UInt32(truncatingIfNeeded: file.radioLine ?? 0)
  } catch {
    error.write(to: &writer)
    sum &+= UInt32(truncatingIfNeeded: error.line)
  }
  BoardFile.forEachModel(in: text.span) { sum &+= UInt32(truncatingIfNeeded: $0.count) }
  table.forEachModel(ofBoardAt: index) { sum &+= UInt32(truncatingIfNeeded: $0.count) }
  var changes = BoardChanges()
  do throws(BoardSettingError) {
    try changes.add(text.span, at: 1)
  } catch {
    error.write(to: &writer, of: text.span)
  }
  do throws(BoardChangeError) {
    try changes.complete()
    let board = byte == 0 ? changes.board : table.board(at: index) ?? BoardDescription(name: "b")
    let parts = BoardPart.all
    for part in parts.indices {
      guard let line = board[parts[part]] else { continue }
      sum &+= UInt32(truncatingIfNeeded: line.offset &+ line.debounceMilliseconds)
      sum &+= UInt32(truncatingIfNeeded: line.name.count)
    }
    if let motion = board.motion { sum &+= UInt32(motion.threshold) &+ UInt32(motion.part.address) }
    if let display = board.display { sum &+= UInt32(display.bus) }
    board[onBus: .display]?.writePlace(to: &writer)
    if board.isVirtual || board.radio != nil { sum &+= 1 }
  } catch {
    error.cause.write(to: &writer, of: text.span)
    sum &+= UInt32(truncatingIfNeeded: error.index)
  }
  return sum &+ UInt32(truncatingIfNeeded: writer.count)
}
