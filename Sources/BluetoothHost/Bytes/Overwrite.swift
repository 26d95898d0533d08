/// Puts `new` in place of `value`, after every byte of `value` has been overwritten. The language does not
/// promise that of an assignment: it may leave the bytes behind an optional that becomes `nil`. For values
/// without references.
@inline(never)
func overwrite<Value: ~Copyable>(_ value: inout Value, with new: consuming Value) {
  unsafe withUnsafeMutableBytes(of: &value) { bytes in
    for index in bytes.indices { unsafe bytes[index] = 0 }
  }
  value = new
}
