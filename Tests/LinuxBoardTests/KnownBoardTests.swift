import Boards
import LinuxRadio
import LinuxTestSupport
import Testing

@testable import LinuxBoard

@Suite("The boards that the program knows")
struct KnownBoardTests {
  /// A shipped board, and what distinguishes it from the others.
  struct Shipped: CustomTestStringConvertible {
    let name: String
    let models: [String]
    let chip: ChipLabel
    var radio: RadioText = "hci0"
    /// The numbers of the lights' lines.
    var lights = (status: 12, answer: 16)
    var testDescription: String { name }
  }

  static let shipped = [
    Shipped(
      name: "pi-1", models: ["Raspberry Pi Model A", "Raspberry Pi Model B"],
      chip: "pinctrl-bcm2835", lights: (17, 22)),
    Shipped(
      name: "pi-1-plus",
      models: [
        "Raspberry Pi Model A Plus", "Raspberry Pi Model A+", "Raspberry Pi Model B Plus",
        "Raspberry Pi Model B+",
      ], chip: "pinctrl-bcm2835"),
    Shipped(name: "pi-2b", models: ["Raspberry Pi 2 Model B"], chip: "pinctrl-bcm2835"),
    Shipped(
      name: "pi-3a-plus", models: ["Raspberry Pi 3 Model A Plus", "Raspberry Pi 3 Model A+"],
      chip: "pinctrl-bcm2835"),
    Shipped(
      name: "pi-3b",
      models: [
        "Raspberry Pi 3 Model B", "Raspberry Pi 3 Model B Plus", "Raspberry Pi 3 Model B+",
      ], chip: "pinctrl-bcm2835"),
    Shipped(name: "pi-400", models: ["Raspberry Pi 400"], chip: "pinctrl-bcm2711"),
    Shipped(name: "pi-4b", models: ["Raspberry Pi 4 Model B"], chip: "pinctrl-bcm2711"),
    Shipped(name: "pi-5", models: ["Raspberry Pi 5"], chip: "pinctrl-rp1"),
    Shipped(name: "pi-500", models: ["Raspberry Pi 500"], chip: "pinctrl-rp1"),
    Shipped(name: "pi-cm4", models: ["Raspberry Pi Compute Module 4"], chip: "pinctrl-bcm2711"),
    Shipped(name: "pi-cm5", models: ["Raspberry Pi Compute Module 5"], chip: "pinctrl-rp1"),
    Shipped(
      name: "pi-zero", models: ["Raspberry Pi Zero", "Raspberry Pi Zero W"],
      chip: "pinctrl-bcm2835"),
    Shipped(name: "pi-zero-2-w", models: ["Raspberry Pi Zero 2 W"], chip: "pinctrl-bcm2835"),
    Shipped(name: "virtual", models: [], chip: "virtual", radio: "virtual"),
  ]

  @Test("They are exactly these")
  func names() {
    #expect(KnownBoard.shipped.map(\.name) == Self.shipped.map(\.name))
  }

  @Test("Each is described completely", arguments: shipped)
  func loads(_ shipped: Shipped) throws {
    let known = try KnownBoard.named(shipped.name)
    let board = known.board
    let button = { (number: Int) in
      LineDescription(
        name: .gpio(number), offset: number, activeLow: true, bias: .pullUp,
        debounceMilliseconds: 20)
    }
    let light = { (number: Int) in
      LineDescription(
        name: .gpio(number), offset: number, activeLow: false, bias: .none,
        debounceMilliseconds: 0)
    }
    #expect(
      board
        == BoardDescription(
          name: try #require(BoardName(shipped.name)), chip: shipped.chip, shake: button(18),
          clear: button(25), status: light(shipped.lights.status),
          answer: light(shipped.lights.answer), radio: shipped.radio))
    #expect(known.models == shipped.models)
    #expect(board.isVirtual == (shipped.name == "virtual"))
  }

  @Test(
    "The device tree's model chooses the board",
    arguments: [
      ("Raspberry Pi Zero Rev 1.3", "pi-zero"),
      ("Raspberry Pi Zero W Rev 1.1", "pi-zero"),
      ("Raspberry Pi Zero 2 W Rev 1.0", "pi-zero-2-w"),
      ("Raspberry Pi 3 Model B Rev 1.2", "pi-3b"),
      ("Raspberry Pi 3 Model B Plus Rev 1.3", "pi-3b"),
      ("Raspberry Pi 3 Model B+", "pi-3b"),
      ("Raspberry Pi 4 Model B Rev 1.4", "pi-4b"),
      ("Raspberry Pi 5 Model B Rev 1.0", "pi-5"),
      ("Raspberry Pi 5", "pi-5"),
      ("Raspberry Pi Model A Rev 2", "pi-1"),
      ("Raspberry Pi Model B Rev 1", "pi-1"),
      ("Raspberry Pi Model B Rev 2", "pi-1"),
      ("Raspberry Pi Model B rev2", "pi-1"),
      ("Raspberry Pi Model A Plus Rev 1.1", "pi-1-plus"),
      ("Raspberry Pi Model A+", "pi-1-plus"),
      ("Raspberry Pi Model B Plus Rev 1.2", "pi-1-plus"),
      ("Raspberry Pi Model B+", "pi-1-plus"),
      ("Raspberry Pi 2 Model B Rev 1.1", "pi-2b"),
      ("Raspberry Pi 3 Model A Plus Rev 1.0", "pi-3a-plus"),
      ("Raspberry Pi 3 Model A+", "pi-3a-plus"),
      ("Raspberry Pi 400 Rev 1.0", "pi-400"),
      ("Raspberry Pi 500 Rev 1.0", "pi-500"),
      ("Raspberry Pi Compute Module 4 Rev 1.1", "pi-cm4"),
      ("Raspberry Pi Compute Module 5 Rev 1.0", "pi-cm5"),
      ("Raspberry Pi Compute Module 5 Lite Rev 1.0", "pi-cm5"),
      ("Raspberry Pi Compute Module 4S Rev 1.0", nil),
      ("Raspberry Pi Compute Module 3 Plus Rev 1.0", nil),
      ("Raspberry Pi Compute Module Rev 1.0", nil),
      ("Raspberry Pi Model C", nil),
      ("Raspberry Pi", nil),
      ("linux,dummy-virt", nil),
      ("", nil),
    ] as [(String, String?)])
  func choice(model: String, name: String?) {
    #expect(KnownBoard.matching(model: model)?.name == name)
  }

  @Test("A board is named by its name or its file, and a printed file describes the same board")
  func named() throws {
    let folder = try TemporaryDirectory()
    for known in KnownBoard.shipped {
      #expect(try KnownBoard.named(known.name) == known)
      try folder.write(known.file, to: "\(known.name).conf")
      #expect(try KnownBoard.named("\(folder.path)/\(known.name).conf") == known)
    }
    #expect(
      try KnownBoard.named("pi-4b").file
        == """
        model = Raspberry Pi 4 Model B
        chip = pinctrl-bcm2711
        radio = hci0
        shake.line = GPIO18
        clear.line = GPIO25
        status.line = GPIO12
        answer.line = GPIO16

        """)
    let whole = try KnownBoard(Array(BoardFileTests.unusual.utf8), path: "b.conf")
    #expect(whole.file == BoardFileTests.unusual)
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
      ("Raspberry Pi 5", "Raspberry Pi 5"), ("a\0b\0", "a"), ("a\n", "a"), ("\0", nil), ("", nil),
    ] as [(String, String?)])
  func model(property: String, model: String?) {
    #expect(DeviceTree.model(fromProperty: property) == model)
  }
}
