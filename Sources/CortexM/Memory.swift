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
