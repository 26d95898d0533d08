// A disk in memory that loses power, and attempts in a process of their own, for Tests/Simulation.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- The disk: disk.c ----

// What fails on a disk that is full or defect.
enum simulated_failure { DISK_WORKS, DISK_REFUSES_FILES, DISK_REFUSES_DATA, DISK_CANNOT_SYNC };

struct simulated_disk;

struct simulated_disk *simulated_disk_new(void);
void simulated_disk_free(struct simulated_disk *disk);

// From now on the calls of this thread for paths below /simulated/ go to this disk; NULL for none.
void simulated_disk_use(struct simulated_disk *disk);

void simulated_disk_fail(struct simulated_disk *disk, int failure);

// Cuts the power before the call after the next `calls` calls.
void simulated_disk_cut_after(struct simulated_disk *disk, int calls);

// Whether the power is off. All calls fail then.
bool simulated_disk_is_off(const struct simulated_disk *disk);

// The process ends: its descriptors and locks are gone.
void simulated_disk_end_process(struct simulated_disk *disk);

// The power is cut, and returns. What was not synchronised is there, in part, or not at all, as `seed` decides.
void simulated_disk_crash(struct simulated_disk *disk, uint64_t seed);

// The bytes of a file, at most `size`; -1 without such a file.
long simulated_disk_read(const struct simulated_disk *disk, const char *name, uint8_t *bytes, size_t size);

// ---- Attempts: attempt.c ----

// Runs `body` in a copy of this process, for at most `seconds`. Returns its result, 0 to 127, or 128 and the number of
// the signal that ended it.
int simulation_attempt(int (*body)(void *), void *context, unsigned seconds);

// A number that this process and its attempts share.
extern volatile uint64_t *simulation_progress(void);

// The known fault that is active, in sources with known faults: see scripts/simulate --known-faults.
extern int simulation_known_fault;
void simulation_set_known_fault(int number);
