/// Assigns `new` to `value` after overwriting every byte of `value`. The language does not promise
/// that for an assignment: the bytes of an optional that becomes `nil` may remain. For values
/// without references.
@inline(never)
func overwrite<Value: ~Copyable>(_ value: inout Value, with new: consuming Value) {
  unsafe withUnsafeMutableBytes(of: &value) { bytes in
    for index in bytes.indices { unsafe bytes[index] = 0 }
  }
  value = new
}
