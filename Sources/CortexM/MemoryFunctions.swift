import CCortexM

// The compiler's functions to copy and fill memory: smaller than a C library's, and faster for
// packets, which are unaligned. The linker script gives them their standard names.
//
// Run-time ABI for the Arm Architecture, "Memory copying, clearing, and setting".

@c(__aeabi_memmove) func moveBytes(_ to: UInt, _ from: UInt, _ count: UInt) {
  var (to, from) = (to, from)
  // A target that begins within its source is filled from the end. The ball has no such copy.
  guard to &- from >= count else {
    var left = count
    while left > 0 {
      left &-= 1
      cortexm_store_byte(to &+ left, cortexm_load_byte(from &+ left))
    }
    return
  }
  var words = count & ~3
  while words > 0 {
    cortexm_store_word(to, cortexm_load_word(from))
    to &+= 4
    from &+= 4
    words &-= 4
  }
  var bytes = count & 3
  while bytes > 0 {
    cortexm_store_byte(to, cortexm_load_byte(from))
    to &+= 1
    from &+= 1
    bytes &-= 1
  }
}

@inline(never)
@c(__aeabi_memset) func fillBytes(_ to: UInt, _ count: UInt, _ byte: UInt32) {
  var to = to
  var words = count & ~3
  while words > 0 {
    cortexm_store_word(to, (byte & 0xFF) &* 0x0101_0101)
    to &+= 4
    words &-= 4
  }
  var bytes = count & 3
  while bytes > 0 {
    cortexm_store_byte(to, UInt8(truncatingIfNeeded: byte))
    to &+= 1
    bytes &-= 1
  }
}

@c(__aeabi_memclr) func clearBytes(_ to: UInt, _ count: UInt) { fillBytes(to, count, 0) }
