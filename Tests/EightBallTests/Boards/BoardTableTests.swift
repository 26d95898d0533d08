import BluetoothHost
import EightBall
import Expectations

@Suite("The table of boards in a program")
struct BoardTableTests {
  @Test("If two boards have the longest prefix of a model, neither is chosen")
  func tie() {
    let table = BoardTable(
      """
      [a]
      model=Machine
      [b]
      model=Machine 2
      model=Machine
      [c]
      model=Machine 2
      """)
    expect(table.search(model: "Machine 2 Rev 1".utf8.span).result, is: .several(first: 1))
    expect(table.search(model: "Machine 3".utf8.span).result, is: .several(first: 0))
    expect(table.search(model: "Machine".utf8.span).length, is: 7)
    expect(table.search(model: "Machine2".utf8.span).result, is: .none)
  }

  @Test("A board with an invalid setting is not returned, and a table without text has none")
  func wrong() {
    for text: StaticString in [
      "[a]\nshake.line=GPIO1", "[a]\nchip=c\nshake.offset=x",
      "[a]\nchip=c\nshake.line=A", "chip=c", "x", "",
    ] {
      expect(BoardTable(text).board(at: 0), is: nil)
    }
    expect(BoardTable("").count, is: 0)
    expect(BoardTable("[a]").board(at: 0), is: BoardDescription(name: "a"))
  }

  @Test("Settings before the first board are for all, and a board's own override them")
  func common() {
    let table = BoardTable(
      """
      chip=c
      shake.line=GPIO5
      [a]
      [b]
      chip=d
      shake.line=LED
      shake.offset=7
      """)
    expect(table.count, is: 2)
    expect(table.board(at: -1), is: nil)
    expect(table.board(at: 0)?.chip, is: "c")
    expect(table.board(at: 0)?.shake?.offset, is: 5)
    expect(table.board(at: 1)?.chip, is: "d")
    expect(table.board(at: 1)?.shake?.name, is: "LED")
    expect(table.board(at: 1)?.shake?.offset, is: 7)
    expect(names(table), is: "a, b, ")
  }

  @Test("The names of boards on a real chip, or on none, each have a comma after them")
  func realNames() {
    let table = BoardTable("[a]\nchip=virtual\n[b]\nchip=virtual2\n[c]")
    expect(names(table), is: "b, c, ")
    expect(names(BoardTable("")), is: "")
  }

  private func names(_ table: BoardTable) -> String {
    var bytes = [UInt8](repeating: 0, count: 256)
    var writer = ByteWriter(bytes.mutableSpan)
    table.writeNames(ofRealBoardsTo: &writer)
    let count = writer.count
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
