import BluetoothHost
import Boards
import LinuxBoard
import Testing

/// The folder of the shipped board files.
let shippedBoards =
  #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
  .joined(separator: "/") + "/boards"

@Suite("The table of boards in a program")
struct BoardTableTests {
  static let entries = BoardCatalog(folders: [shippedBoards]).entries()

  @Test("The build puts each shipped file into the table unchanged")
  func shipped() throws {
    let table = BoardTable.shipped
    #expect(Self.entries.count == 14)
    #expect(table.count == Self.entries.count)
    for (number, entry) in Self.entries.enumerated() {
      #expect(table.index(named: entry.name.utf8.span) == number)
      #expect(table.board(at: number) == (try entry.board.get()))
    }
    #expect(table.board(at: -1) == nil)
    #expect(table.board(at: Self.entries.count) == nil)
    #expect(table.index(named: "pi".utf8.span) == nil)
  }

  @Test(
    "The table chooses the same board for a model as the files",
    arguments: [
      "Raspberry Pi Zero Rev 1.3", "Raspberry Pi Zero 2 W Rev 1.0",
      "Raspberry Pi 3 Model B Plus Rev 1.3", "Raspberry Pi 3 Model B+",
      "Raspberry Pi 4 Model B Rev 1.4", "Raspberry Pi 5 Model B Rev 1.0", "Raspberry Pi 5",
      "Raspberry Pi 400 Rev 1.0", "Raspberry Pi 500 Rev 1.0", "Raspberry Pi 2 Model B Rev 1.1",
      "Raspberry Pi Model A Rev 2", "Raspberry Pi Model B Rev 2",
      "Raspberry Pi Model B Plus Rev 1.2", "Raspberry Pi Model A Plus Rev 1.1",
      "Raspberry Pi 3 Model A Plus Rev 1.0", "Raspberry Pi Compute Module 4 Rev 1.1",
      "Raspberry Pi Compute Module 5 Lite Rev 1.0", "Raspberry Pi", "linux,dummy-virt", "",
    ])
  func choice(model: String) throws {
    let name = try Self.entries.matching(model: model)?.name
    let expected = name.flatMap { BoardTable.shipped.index(named: $0.utf8.span) }
    #expect(
      BoardTable.shipped.search(model: model.utf8.span).result
        == (expected.map { .board($0) } ?? ModelSearch.Result.none))
  }

  @Test("If two boards have the longest prefix of a model, neither is chosen")
  func tie() {
    let table = BoardTable(
      """
      @a
      =Machine
      @b
      =Machine 2
      =Machine
      @c
      =Machine 2
      """)
    #expect(table.search(model: "Machine 2 Rev 1".utf8.span).result == .several(first: 1))
    #expect(table.search(model: "Machine 3".utf8.span).result == .several(first: 0))
    #expect(table.search(model: "Machine".utf8.span).length == 7)
    #expect(table.search(model: "Machine2".utf8.span).result == .none)
  }

  @Test(
    "A board with an invalid setting is not returned, and a table without text has none")
  func wrong() {
    for text: StaticString in [
      "@a\nshake.line=GPIO1", "@a\nchip=c\nshake.offset=x",
      "@a\nchip=c\nshake.line=A", "chip=c", "x", "",
    ] {
      #expect(BoardTable(text).board(at: 0) == nil)
    }
    #expect(BoardTable("").count == 0)
    #expect(BoardTable("@a").board(at: 0) == BoardDescription(name: "a"))
  }

  @Test("Settings before the first board are for all, and a board's own override them")
  func common() {
    let table = BoardTable(
      """
      chip=c
      shake.line=GPIO5
      @a
      @b
      chip=d
      shake.line=LED
      shake.offset=7
      """)
    #expect(table.count == 2)
    #expect(table.board(at: -1) == nil)
    #expect(table.board(at: 0)?.chip == "c")
    #expect(table.board(at: 0)?.shake?.offset == 5)
    #expect(table.board(at: 1)?.chip == "d")
    #expect(table.board(at: 1)?.shake?.name == "LED")
    #expect(table.board(at: 1)?.shake?.offset == 7)
    #expect(names(table) == "a, b, ")
  }

  @Test("The names of boards on a real chip, or on none, each have a comma after them")
  func realNames() {
    #expect(
      names(.shipped)
        == "pi-1, pi-1-plus, pi-2b, pi-3a-plus, pi-3b, pi-400, pi-4b, pi-5, pi-500, pi-cm4, pi-cm5, "
        + "pi-zero, pi-zero-2-w, ")
    let table = BoardTable("@a\nchip=virtual\n@b\nchip=virtual2\n@c")
    #expect(names(table) == "b, c, ")
    #expect(names(BoardTable("")) == "")
  }

  private func names(_ table: BoardTable) -> String {
    var bytes = [UInt8](repeating: 0, count: 256)
    var writer = ByteWriter(bytes.mutableSpan)
    table.writeNames(ofRealBoardsTo: &writer)
    let count = writer.count
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
