import Glibc

/// A program's arguments in C, which last until the end: its name, these texts, and a null pointer; `nil` is one
/// that is not UTF-8.
@unsafe
package func argumentVector(_ texts: [String?]) -> UnsafePointer<UnsafePointer<CChar>?> {
  let list = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: texts.count + 2)
  for (index, text) in (["program"] + texts).enumerated() {
    let bytes = (text.map { Array($0.utf8) } ?? [0xFF]).map { CChar(bitPattern: $0) } + [0]
    unsafe (list + index).initialize(to: strdup(bytes).map { unsafe UnsafePointer($0) })
  }
  unsafe (list + texts.count + 1).initialize(to: nil)
  return unsafe UnsafePointer(list)
}
