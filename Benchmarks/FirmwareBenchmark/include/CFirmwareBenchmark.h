// A loop of known length, with which the benchmark measures how many ticks of the clock an instruction takes.
#pragma once
#include <stdint.h>

// Executes 2 × count instructions.
static inline void benchmark_loop(uint32_t count) {
    __asm volatile("1: subs %0, %0, #1\n\tbne 1b" : "+l"(count) : : "cc");
}
