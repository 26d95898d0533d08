/// A few lines of one GPIO chip through libgpiod, with either of its two incompatible versions.
/// Between cgpiod_open and cgpiod_close it does not use the heap.
///
/// Edges include bounces: the kernel's debouncing, which only version 2 offers, delays the first
/// edge too.
/// back the first edge as well.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// The resistor of a line, with the kernel's numbers, not a library's.
enum cgpiod_bias {
    CGPIOD_BIAS_NONE = 0,
    CGPIOD_BIAS_PULL_UP = 1,
    CGPIOD_BIAS_PULL_DOWN = 2,
};

/// A line to request.
struct cgpiod_line {
    /// Its name on the chip; NULL to use the offset.
    const char *name;
    /// Its offset if no line of the chip has the name; negative for none.
    int32_t offset;
    /// 1 for an output, inactive at first; 0 for an input with edges.
    int32_t is_output;
    /// 1 if it is active when its level is low.
    int32_t is_active_low;
    /// A cgpiod_bias.
    int32_t bias;
};

/// What cgpiod_open was doing when it failed.
enum cgpiod_step {
    /// Looking for the chip: there is none with the label.
    CGPIOD_STEP_FIND_CHIP = 0,
    /// Opening a chip.
    CGPIOD_STEP_OPEN_CHIP = 1,
    /// Looking for a line: there is none with the name or at the offset.
    CGPIOD_STEP_FIND_LINE = 2,
    /// Requesting a line.
    CGPIOD_STEP_REQUEST_LINE = 3,
    /// Anything else.
    CGPIOD_STEP_OTHER = 4,
};

/// Why cgpiod_open failed.
struct cgpiod_error {
    /// An errno.
    int32_t code;
    /// A cgpiod_step.
    int32_t step;
    /// The index of the line, or -1.
    int32_t line;
    /// The chip's path; empty for CGPIOD_STEP_FIND_CHIP.
    char chip[64];
    /// The user of the line, if it is in use and the kernel gives a name.
    char user[32];
};

/// A line that has become active or inactive.
struct cgpiod_edge {
    /// The line's index in the request.
    int32_t line;
    /// 1 if it has become active.
    int32_t is_active;
    /// When, in nanoseconds of the monotonic clock.
    uint64_t time;
};

/// Lines that were requested and granted.
struct cgpiod_lines;

/// The major version of libgpiod in this build: 1 or 2.
int cgpiod_version(void);

/// Finds the chip with this label among the gpiochip* in `directory`, and requests `count` lines of
/// it, at most 8, all or none. A label of NULL is the first chip that has all lines by name.
///
/// NULL, with `failure` filled in, if that fails.
struct cgpiod_lines *cgpiod_open(const char *directory, const char *label, const char *consumer,
                                 const struct cgpiod_line *lines, size_t count,
                                 struct cgpiod_error *failure);

/// The state of a line before it is requested.
struct cgpiod_line_state {
    /// Its offset; -1 if the chip has no such line.
    int32_t offset;
    /// The user of the line; empty without one, "?" for one without a name.
    char user[32];
};

/// Finds the chip as cgpiod_open does, and reads the state of `count` lines without requesting
/// them: 0, with the chip's path in `failure`, or -1 with all of `failure` filled in.
int cgpiod_survey(const char *directory, const char *label, const struct cgpiod_line *lines,
                  size_t count, struct cgpiod_line_state *states, struct cgpiod_error *failure);

/// Releases the lines.
void cgpiod_close(struct cgpiod_lines *lines);

/// A descriptor that is readable when there is an edge, and hangs up when the chip is removed. It
/// belongs to `lines`.
int cgpiod_descriptor(const struct cgpiod_lines *lines);

/// Takes the next edge: 1; 0 if there is none now; -1 with errno set. ENODEV means that the chip
/// was removed.
int cgpiod_next_edge(struct cgpiod_lines *lines, struct cgpiod_edge *edge);

/// Whether the line with this index is active: 1 or 0, or -1 with errno set.
int cgpiod_value(struct cgpiod_lines *lines, int32_t line);

/// Makes the line with this index active or inactive: 0, or -1 with errno set.
int cgpiod_set_value(struct cgpiod_lines *lines, int32_t line, int is_active);
