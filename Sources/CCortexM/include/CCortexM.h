// What Swift has no words for: registers, four instructions of the processor, and the borders that the
// linker draws. The functions are inline, so there is nothing to link.
#pragma once
#include <stdint.h>

// One access to a register, neither left out nor moved. (Swift's module _Volatile asks for a library of
// atomic operations on ARMv6-M.)
static inline uint32_t cortexm_load(uintptr_t address) { return *(volatile uint32_t *)address; }
static inline void cortexm_store(uintptr_t address, uint32_t value) { *(volatile uint32_t *)address = value; }

// The same for a byte, and for a word at any address. A loop of them stays a loop: of a loop of plain accesses the
// compiler makes a call of the function that the loop is there to be.
static inline uint8_t cortexm_load_byte(uintptr_t address) { return *(volatile uint8_t *)address; }
static inline void cortexm_store_byte(uintptr_t address, uint8_t value) { *(volatile uint8_t *)address = value; }
struct __attribute__((packed)) cortexm_word { uint32_t value; };
static inline uint32_t cortexm_load_word(uintptr_t address) { return ((volatile struct cortexm_word *)address)->value; }
static inline void cortexm_store_word(uintptr_t address, uint32_t value) {
    ((volatile struct cortexm_word *)address)->value = value;
}

// Each is a barrier: the compiler moves no access to memory across it.

// Interrupts wait from now on.
static inline void cortexm_hold_interrupts(void) { __asm volatile("cpsid i" ::: "memory"); }

// Interrupts are served again, those that waited first.
static inline void cortexm_serve_interrupts(void) { __asm volatile("cpsie i\n\tisb" ::: "memory"); }

// Sleeps until an interrupt comes, even one that waits.
static inline void cortexm_wait_for_interrupt(void) { __asm volatile("dsb\n\twfi" ::: "memory"); }

// All writes have reached their registers.
static inline void cortexm_finish_writes(void) { __asm volatile("dsb" ::: "memory"); }

// The borders that the linker script draws in the memory.
#define BORDER(name) \
    static inline uint32_t *_Nonnull cortexm_##name(void) { extern uint32_t name[]; return name; }
BORDER(stack_bottom)
BORDER(data_start)
BORDER(data_end)
BORDER(data_initial)
BORDER(bss_start)
BORDER(bss_end)
#undef BORDER
