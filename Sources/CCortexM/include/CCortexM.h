// What Swift has no words for: four instructions of the processor, and the borders that the linker
// draws. The functions are inline, so there is nothing to link.
#pragma once
#include <stdint.h>

// Each is a barrier: the compiler moves no access to memory across it.

// Interrupts wait from now on.
static inline void cortexm_hold_interrupts(void) { __asm volatile("cpsid i" ::: "memory"); }

// Interrupts are served again, those that waited first.
static inline void cortexm_serve_interrupts(void) { __asm volatile("cpsie i\n\tisb" ::: "memory"); }

// Sleeps until an interrupt comes, even one that waits.
static inline void cortexm_wait_for_interrupt(void) { __asm volatile("dsb\n\twfi" ::: "memory"); }

// All writes have reached their registers.
static inline void cortexm_finish_writes(void) { __asm volatile("dsb" ::: "memory"); }

// Symbols of the linker script. Only their addresses mean something.
extern uint32_t stack_bottom, stack_top;
extern uint32_t data_start, data_end, data_initial;
extern uint32_t bss_start, bss_end;
