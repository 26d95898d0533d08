import Expectations
import LinuxTestSupport

@Suite("The catalogs of the modules")
struct CatalogTests {
  @Test(
    "The Swift that an article shows is compiled, and tested where it is a test",
    arguments: [
      ("BluetoothHost", "APeripheral", "Examples/Battery/Sources/Battery/Battery.swift"),
      ("VirtualRadio", "TestingAHost", "Examples/Battery/Tests/BatteryTests/BatteryTests.swift"),
      ("VirtualBoard", "TestingGPIOCode", "Tests/DocsTests/Examples/LightTests.swift"),
      ("EightBallKit", "UsingEightBallKit", "Examples/Sources/ask-a-ball/main.swift"),
    ])
  func example(module: String, article: String, source: String) throws {
    let document = try Document("Sources/\(module)/\(module).docc/\(article).md")
    let shown = document.blocks.filter { $0.tag == "swift" }.map { $0.text + "\n" }
    expect(shown, is: [try Repository.text(of: source)])
  }

  @Test(
    "Each page has one title, and an abstract of one sentence",
    arguments: [
      "BluetoothHost", "VirtualRadio", "VirtualBoard", "CoreBluetooth", "EightBallKit",
      "BallRunner",
    ])
  func abstracts(module: String) throws {
    let folder = "Sources/\(module)/\(module).docc"
    let pages = try Repository.files(in: folder).filter { $0.hasSuffix(".md") }
    expect(pages.contains("\(module).md") && pages.count > 1)
    for page in pages {
      let document = try Document("\(folder)/\(page)")
      expect(document.prose.count { $0.hasPrefix("# ") }, is: 1, "\(page)")
      let abstract = document.lines.dropFirst(2).prefix { !$0.isEmpty }.joined(separator: " ")
      expect(abstract.hasSuffix(".") && !abstract.contains(". "), "\(page): \(abstract)")
    }
  }
}
