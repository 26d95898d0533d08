// What Swift cannot express: register access, four processor instructions, and the section bounds
// of the linker. The functions are inline, so there is nothing to link.
#pragma once
#include <stdint.h>

// One access to a register, neither removed nor reordered. (Swift's module _Volatile needs a
// library of atomic operations on ARMv6-M.)
static inline uint32_t cortexm_load(uintptr_t address) { return *(volatile uint32_t *)address; }
static inline void cortexm_store(uintptr_t address, uint32_t value) { *(volatile uint32_t *)address = value; }

// The same for a byte, and for a word at any address. The compiler would turn a loop of plain
// accesses into a call of memcpy or memset, which such a loop implements.
static inline uint8_t cortexm_load_byte(uintptr_t address) { return *(volatile uint8_t *)address; }
static inline void cortexm_store_byte(uintptr_t address, uint8_t value) { *(volatile uint8_t *)address = value; }
struct __attribute__((packed)) cortexm_word { uint32_t value; };
static inline uint32_t cortexm_load_word(uintptr_t address) { return ((volatile struct cortexm_word *)address)->value; }
static inline void cortexm_store_word(uintptr_t address, uint32_t value) {
    ((volatile struct cortexm_word *)address)->value = value;
}

// Each is a compiler barrier: no memory access moves across it.

// Holds interrupts back.
static inline void cortexm_hold_interrupts(void) { __asm volatile("cpsid i" ::: "memory"); }

// Serves interrupts again, pending ones first.
static inline void cortexm_serve_interrupts(void) { __asm volatile("cpsie i\n\tisb" ::: "memory"); }

// Sleeps until an interrupt is pending, even if interrupts are held back.
static inline void cortexm_wait_for_interrupt(void) { __asm volatile("dsb\n\twfi" ::: "memory"); }

// Waits until all writes have reached their registers.
static inline void cortexm_finish_writes(void) { __asm volatile("dsb" ::: "memory"); }

// The section bounds from the linker script.
#define BORDER(name) \
    static inline uint32_t *_Nonnull cortexm_##name(void) { extern uint32_t name[]; return name; }
BORDER(stack_bottom)
BORDER(data_start)
BORDER(data_end)
BORDER(data_initial)
BORDER(bss_start)
BORDER(bss_end)
#undef BORDER
