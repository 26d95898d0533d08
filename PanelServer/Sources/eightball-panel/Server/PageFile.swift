/// The page: the file Page/panel.html.
struct PageFile {
  /// The page without the start tags of its style and its script, where it is cut.
  private let parts: [ArraySlice<UInt8>]

  /// The page of this program.
  init() {
    let page = PackageResources.panel_html
    let style = Self.position(of: "<style>", in: page, from: 0)
    let script = Self.position(of: "<script>", in: page, from: style)
    parts = [
      page[..<style], page[style..<script].dropFirst("<style>".count),
      page[script...].dropFirst("<script>".count),
    ]
  }

  /// The reply with the page. Its policy names the one style and the one script by a new random
  /// text: Content Security Policy Level 3, 2.3.1.
  func reply(_ headers: [(String, String)] = []) -> Reply {
    let nonce = Secret().text
    var reply = Reply(
      status: .ok, headers: [("Content-Type", "text/html; charset=utf-8")] + headers,
      body: Array(parts[0]))
    for (tag, part) in [("style", parts[1]), ("script", parts[2])] {
      reply.body += Array("<\(tag) nonce=\"\(nonce)\">".utf8)
      reply.body += part
    }
    reply.sources =
      "script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; img-src data:; "
      + "connect-src 'self'; "
    return reply
  }

  /// The position of `text`; the end of the page if it is missing.
  private static func position(of text: String, in page: [UInt8], from start: Int) -> Int {
    let text = Array(text.utf8)
    var index = start
    while index + text.count <= page.count {
      if page[index..<index + text.count].elementsEqual(text) { return index }
      index += 1
    }
    return page.count
  }
}
