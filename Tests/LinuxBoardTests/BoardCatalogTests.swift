import Boards
import LinuxRadio
import LinuxTestSupport
import Testing

@testable import LinuxBoard

@Suite("The board catalog")
struct BoardCatalogTests {
  static let catalog = BoardCatalog(folders: [shippedBoards])

  /// A shipped file, and what distinguishes it from the others.
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

  @Test("It has exactly the shipped boards")
  func names() {
    #expect(Self.catalog.entries().map(\.name) == Self.shipped.map(\.name))
  }

  @Test("Each shipped file describes its board", arguments: shipped)
  func loads(_ shipped: Shipped) throws {
    let entry = try Self.catalog.entry(shipped.name)
    let board = try entry.board.get()
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
    #expect(entry.models == shipped.models)
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
  func choice(model: String, name: String?) throws {
    #expect(try Self.catalog.entries().matching(model: model)?.name == name)
  }

  /// The error of a folder in which a Raspberry Pi 4 finds its board.
  private func fault(_ files: [String: String], hidden: [String: String] = [:]) throws -> String? {
    let folder = try TemporaryDirectory()
    let later = try TemporaryDirectory()
    for (name, text) in files { try folder.write(text, to: name) }
    for (name, text) in hidden { try later.write(text, to: name) }
    let catalog = BoardCatalog(folders: [folder.path, later.path])
    do throws(BoardError) {
      _ = try catalog.entries().matching(model: "Raspberry Pi 4 Model B Rev 1.4")
      return nil
    } catch {
      return error.description.replacing(folder.path + "/", with: "")
    }
  }

  static let pi4 = "models: [Raspberry Pi 4 Model B]\nradio: hci0\n"
  static let faultyPi4 = "models: [Raspberry Pi 4 Model B]\nradio: hci\n"
  static let faultOfPi4 = "b.yml:2: radio: expected a radio: \(RadioName.forms), not \"hci\""

  @Test("An error in this machine's file is reported, not a missing board")
  func faultyBoard() throws {
    #expect(try fault(["b.yml": Self.pi4]) == nil)
    #expect(try fault(["b.yml": Self.faultyPi4]) == Self.faultOfPi4)
    // Another file of that name is not searched.
    #expect(try fault(["b.yml": Self.faultyPi4], hidden: ["b.yml": Self.pi4]) == Self.faultOfPi4)
    // A file with a shorter matching model does not count.
    #expect(
      try fault(["a.yml": "models: [Raspberry Pi 4]", "b.yml": Self.faultyPi4]) == Self.faultOfPi4)
  }

  @Test("An error in another machine's file does not matter")
  func faultyOther() throws {
    #expect(try fault(["b.yml": "models: [Raspberry Pi 3]\nradio: hci"]) == nil)
    #expect(try fault(["b.yml": "radio: hci"]) == nil)
    #expect(try fault(["a.yml": "- nothing", "b.yml": Self.pi4]) == nil)
  }

  @Test(
    "A file with hidden models may be this machine's",
    arguments: [
      "models: [Raspberry Pi 4 Model B", "", "- nothing", "models: Raspberry Pi 4 Model B",
      "modles: [Raspberry Pi 4 Model B]", "models: [Räspberry]", "chip: a\nchip: b",
    ])
  func hiddenModels(text: String) throws {
    #expect(try fault(["b.yml": text])?.hasPrefix("b.yml:") == true)
  }

  @Test("Two files for one machine are refused, with both names and what to do")
  func tie() throws {
    #expect(
      try fault(["a.yml": Self.pi4, "b.yml": Self.pi4, "c.yml": "models: [Raspberry Pi 4]"])
        == "a.yml: models: \"Raspberry Pi 4 Model B\" is also in b.yml: change or remove the models "
        + "of all but one, or name a board with --board")
    // The longer model does not match.
    let better = "models: [Raspberry Pi 4 Model B Rev 1.4]"
    #expect(try fault(["a.yml": Self.pi4, "b.yml": better]) == nil)
  }

  @Test("A board is named by its name or its file")
  func named() throws {
    let byName = try Self.catalog.board("pi-5")
    #expect(try Self.catalog.board("\(shippedBoards)/pi-5.yml") == byName)
    #expect(
      throws: BoardError(
        "boards.yml",
        "cannot read the board's file: No such file or directory. --board chooses one: see eightball "
          + "boards")
    ) { try Self.catalog.board("boards.yml") }
    #expect(
      throws: BoardError(
        "--board pi-6",
        "expected pi-1, pi-1-plus, pi-2b, pi-3a-plus, pi-3b, pi-400, pi-4b, pi-5, pi-500, pi-cm4, "
          + "pi-cm5, pi-zero, pi-zero-2-w or virtual, or a file such as ./my-board.yml")
    ) { try Self.catalog.board("pi-6") }
    #expect(
      throws: BoardError(
        "--board pi-5", "there are no board files in /nowhere or /nothing; name a file")
    ) { try BoardCatalog(folders: ["/nowhere", "/nothing"]).board("pi-5") }
  }

  @Test("Boards are searched beside the program, and where it is installed")
  func folders() {
    #expect(
      BoardCatalog(programPath: "/opt/ball/bin/eightball").folders == [
        "/opt/ball/bin/boards", "/opt/ball/share/eightball/boards",
        "/usr/local/share/eightball/boards", "/usr/share/eightball/boards",
      ])
    #expect(
      BoardCatalog(programPath: "/usr/bin/eightball").folders == [
        "/usr/bin/boards", "/usr/share/eightball/boards", "/usr/local/share/eightball/boards",
      ])
    let checkout = String(shippedBoards.dropLast("/boards".count))
    #expect(
      BoardCatalog(programPath: "\(checkout)/.build/debug/eightball").folders.contains(
        shippedBoards))
    #expect(
      BoardCatalog(programPath: "eightball").folders == [
        "/usr/local/share/eightball/boards", "/usr/share/eightball/boards",
      ])
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
