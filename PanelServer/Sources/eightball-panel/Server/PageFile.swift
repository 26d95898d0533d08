/// The page, and the headers that isolate it.
struct PageFile {
  /// The file Page/panel.html.
  let bytes: [UInt8]
  /// The headers of each response: the page runs only its own script and style, and loads and sends
  /// nothing elsewhere.
  let headers: [(String, String)]

  /// The page of this program.
  init() {
    bytes = PackageResources.panel_html
    let script = Self.source("script", of: bytes)
    let style = Self.source("style", of: bytes)
    let policy = [
      "default-src 'none'", "script-src '\(script)'", "style-src '\(style)'", "img-src data:",
      "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ]
    headers = [
      ("Content-Security-Policy", policy.joined(separator: "; ")),
      ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Cross-Origin-Opener-Policy", "same-origin"), ("Cache-Control", "no-store"),
      ("Connection", "close"),
    ]
  }

  /// The hash source for the content of the element `tag`: Content Security Policy Level 3, 2.3.1.
  private static func source(_ tag: String, of page: [UInt8]) -> String {
    let start = position(of: "<\(tag)>", in: page, from: 0)
    let end = position(of: "</\(tag)>", in: page, from: start)
    guard start + tag.utf8.count + 2 <= end else { return "none" }
    return "sha256-" + base64(SHA256.hash(Array(page[(start + tag.utf8.count + 2)..<end])))
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
