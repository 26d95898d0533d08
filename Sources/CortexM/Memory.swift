import BluetoothHost
import CCortexM

/// Sets the initial values of all variables, as the linker script has laid them out.
///
/// - Returns: A number that differs between starts as far as memory after power-up does.
func prepareMemory() -> UInt64 {
  var seed: UInt64 = 0xCBF2_9CE4_8422_2325
  var word = unsafe cortexm_stack_bottom()
  while unsafe word < cortexm_data_start() {
    // FNV-1a, a word at a time.
    unsafe seed = (seed ^ UInt64(widening: word.pointee)) &* 0x100_0000_01B3
    unsafe word += 1
  }
  let data = unsafe UInt(bitPattern: cortexm_data_start())
  unsafe moveBytes(
    data, UInt(bitPattern: cortexm_data_initial()), UInt(bitPattern: cortexm_data_end()) &- data)
  let bss = unsafe UInt(bitPattern: cortexm_bss_start())
  unsafe clearBytes(bss, UInt(bitPattern: cortexm_bss_end()) &- bss)
  return seed
}

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
