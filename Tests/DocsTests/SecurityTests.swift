import Expectations
import LinuxTestSupport

@Suite("docs/design/security.md")
struct SecurityTests {
  @Test("Each test, script and type that the page names exists")
  func names() throws {
    let document = try Document("docs/design/security.md")
    let rows = document.rows(under: "## What is protected")
    expect(rows.count > 15)
    for row in rows {
      let proofs = row[3].split(separator: "`").map(String.init)
        .filter {
          $0.hasSuffix("Tests") || $0.hasPrefix("scripts/") || $0.contains("/") && !$0.contains(" ")
        }
      expect(!proofs.isEmpty, "“\(row[0])” has no proof")
      for proof in proofs {
        expect(Self.isThere(proof), "“\(row[0])” names \(proof), which is not there")
      }
    }
  }

  /// Whether a path of the repository, or a file of tests with this name in one of its folders, is there.
  private static func isThere(_ proof: String) -> Bool {
    if proof.hasPrefix("scripts/check ") {
      // It names each of its checks.
      let checks = (try? Repository.text(of: "scripts/check")) ?? ""
      return checks.contains(" \(proof.dropFirst("scripts/check ".count))")
    }
    if proof.contains("/") {
      return (try? Repository.text(of: proof)) != nil || (try? Repository.files(in: proof)) != nil
    }
    let folders = [
      "BallOnAirTests", "BallRunnerTests", "BluetoothHostTests/ATT", "BluetoothHostTests/SMP",
      "LinuxPortTests", "LinuxRadioTests", "LinuxRadioTests/System",
    ]
    return folders.contains { (try? Repository.text(of: "Tests/\($0)/\(proof).swift")) != nil }
  }
}
