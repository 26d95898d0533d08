import EightBall
import Expectations
import LinuxRadio
import LinuxTestSupport

@testable import eightball

@Suite("The boards that the program knows")
struct KnownBoardTests {
  /// A shipped board, and what distinguishes it from the others.
  struct Shipped: CustomTestStringConvertible {
    var name: String
    var models: [String]
    var chip: ChipLabel
    var radio: RadioText = "hci0"
    /// The numbers of the lights' lines.
    var lights = (status: 12, answer: 16)
    var testDescription: String { name }

    /// The title of its drawing.
    var title: String {
      let last = models.last ?? ""
      let others = models.dropLast().joined(separator: ", ")
      return "Board \(name) (\(others.isEmpty ? "" : others + " and ")\(last)), chip \(chip)"
    }
  }

  /// Names, models after "Raspberry Pi", chips after "pinctrl-", and the numbers of the lights' lines.
  static let shipped =
    table(
      """
      pi-1 | Model A, Model B | bcm2835 | 17 | 22
      pi-1-plus | Model A Plus, Model A+, Model B Plus, Model B+ | bcm2835
      pi-2b | 2 Model B | bcm2835
      pi-3a-plus | 3 Model A Plus, 3 Model A+ | bcm2835
      pi-3b | 3 Model B, 3 Model B Plus, 3 Model B+ | bcm2835
      pi-400 | 400 | bcm2711
      pi-4b | 4 Model B | bcm2711
      pi-5 | 5 | rp1
      pi-500 | 500 | rp1
      pi-cm4 | Compute Module 4 | bcm2711
      pi-cm5 | Compute Module 5 | rp1
      pi-zero | Zero, Zero W | bcm2835
      pi-zero-2-w | Zero 2 W | bcm2835
      """
    ).map { row in
      Shipped(
        name: row[0], models: row[1].split(separator: ", ").map { "Raspberry Pi " + $0 },
        chip: ChipLabel("pinctrl-" + row[2]) ?? ChipLabel(),
        lights: row.count > 3 ? (Int(row[3]) ?? 0, Int(row[4]) ?? 0) : (12, 16))
    } + [Shipped(name: "virtual", models: [], chip: "virtual", radio: "virtual")]

  @Test("They are exactly these")
  func names() {
    expect(KnownBoard.shipped.map(\.name), is: Self.shipped.map(\.name))
  }

  @Test("Each is described completely", arguments: shipped)
  func loads(_ shipped: Shipped) throws {
    let known = try KnownBoard.named(shipped.name)
    let board = known.board
    var expected = BoardDescription(
      name: try #require(BoardName(shipped.name)), chip: shipped.chip, shake: .button(18),
      clear: .button(25), status: .light(shipped.lights.status),
      answer: .light(shipped.lights.answer), radio: shipped.radio)
    if shipped.name == "virtual" {
      expected.motion = MotionDescription(
        BusPart(.lis3dh, bus: 1), line: .light(.gpio(17), 17, bias: .pullDown))
      expected.display = BusPart(.ssd1306, bus: 1)
    }
    expect(board, is: expected)
    expect(known.models, is: shipped.models)
    expect(board.isVirtual, is: shipped.name == "virtual")
  }

  /// What follows "Raspberry Pi" in the models of each board, and what no board has.
  static let models: [(board: String?, models: [String])] = [
    ("pi-zero", [" Zero Rev 1.3", " Zero W Rev 1.1"]), ("pi-zero-2-w", [" Zero 2 W Rev 1.0"]),
    ("pi-3b", [" 3 Model B Rev 1.2", " 3 Model B Plus Rev 1.3", " 3 Model B+"]),
    ("pi-4b", [" 4 Model B Rev 1.4"]), ("pi-5", [" 5 Model B Rev 1.0", " 5"]),
    ("pi-1", [" Model A Rev 2", " Model B Rev 1", " Model B Rev 2", " Model B rev2"]),
    ("pi-1-plus", [" Model A Plus Rev 1.1", " Model A+", " Model B Plus Rev 1.2", " Model B+"]),
    ("pi-2b", [" 2 Model B Rev 1.1"]), ("pi-3a-plus", [" 3 Model A Plus Rev 1.0", " 3 Model A+"]),
    ("pi-400", [" 400 Rev 1.0"]), ("pi-500", [" 500 Rev 1.0"]),
    ("pi-cm4", [" Compute Module 4 Rev 1.1"]),
    ("pi-cm5", [" Compute Module 5 Rev 1.0", " Compute Module 5 Lite Rev 1.0"]),
    (
      nil,
      [
        " Compute Module 4S Rev 1.0", " Compute Module 3 Plus Rev 1.0", " Compute Module Rev 1.0",
        " Model C", "",
      ]
    ),
  ]

  @Test("The device tree's model chooses the board; another machine has none", arguments: models)
  func choice(board: String?, models: [String]) {
    for model in models {
      expect(KnownBoard.matching(model: "Raspberry Pi" + model)?.name, is: board, "\(model)")
    }
    for model in ["linux,dummy-virt", ""] { expect(KnownBoard.matching(model: model), is: nil) }
  }

  @Test("A board is named by its name or its file, and a printed file describes the same board")
  func named() throws {
    let folder = try TemporaryDirectory()
    for known in KnownBoard.shipped {
      expect(try KnownBoard.named(known.name), is: known)
      try folder.write(known.file, to: "\(known.name).conf")
      expect(try KnownBoard.named("\(folder.path)/\(known.name).conf"), is: known)
    }
    expect(
      try KnownBoard.named("pi-4b").file,
      is: """
        model = Raspberry Pi 4 Model B
        chip = pinctrl-bcm2711
        radio = hci0
        shake.line = GPIO18
        clear.line = GPIO25
        status.line = GPIO12
        answer.line = GPIO16

        """)
    let whole = try KnownBoard(Array(BoardFileTests.unusual.utf8), path: "b.conf")
    expect(whole.file, is: BoardFileTests.unusual)
    #expect(
      throws: BoardError(
        "boards.conf",
        "cannot read the board's file: No such file or directory. --board chooses one: see eightball "
          + "boards")
    ) { try KnownBoard.named("boards.conf") }
    #expect(
      throws: BoardError(
        "--board pi-6",
        "expected pi-1, pi-1-plus, pi-2b, pi-3a-plus, pi-3b, pi-400, pi-4b, pi-5, pi-500, pi-cm4, "
          + "pi-cm5, pi-zero, pi-zero-2-w or virtual, or a file such as ./my-board.conf")
    ) { try KnownBoard.named("pi-6") }
    #expect(throws: BoardError.self) { try KnownBoard.named("pi4", option: "--options") }
  }

  @Test(
    "A model is read up to its zero byte",
    arguments: [
      ("Raspberry Pi 5 Model B Rev 1.0\0", "Raspberry Pi 5 Model B Rev 1.0"),
      ("Raspberry Pi 5", "Raspberry Pi 5"), ("a\0b\0", "a"), ("a\n", "a"), ("\0", ""), ("", ""),
    ])
  func model(property: String, model: String) {
    let found = ModelSearch.model(inProperty: property.utf8.span)
    expect(BoardText<127>(found)?.description, is: model)
  }
}
