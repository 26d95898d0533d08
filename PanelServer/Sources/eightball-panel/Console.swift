import Glibc

/// Prints a line on stdout or stderr. If that fails, the line is lost.
func printLine(_ line: String, to descriptor: CInt) {
  let bytes = Array((line + "\n").utf8)
  _ = unsafe write(descriptor, bytes, bytes.count)
}
