// What the two versions of libgpiod have to provide; chip.c does what is the same for both.
#pragma once

#if !__has_include(<gpiod.h>)
#error "libgpiod's headers are missing. On Debian and its kin: apt-get install libgpiod-dev"
#endif
#define _GNU_SOURCE
#include <gpiod.h>

#include "CGPIOD.h"

// Version 1 alone has this; the header's name is the same.
#ifdef GPIOD_LINE_BULK_MAX_LINES
#define CGPIOD_VERSION 1
#else
#define CGPIOD_VERSION 2
#endif

enum { CGPIOD_MOST_LINES = 8 };

// Whether the chip has this label; NULL is every label.
int cgpiod_has_label(struct gpiod_chip *chip, const char *label);

// Where the line is: its offset, or -1.
int cgpiod_find_line(struct gpiod_chip *chip, const struct cgpiod_line *line, int by_name_alone);

// Asks for the lines, whose offsets have been found; NULL with errno and failure->line set. Takes
// over the chip if all goes well.
struct cgpiod_lines *cgpiod_request(struct gpiod_chip *chip, const char *consumer,
                                    const struct cgpiod_line *lines, const int *offsets,
                                    size_t count, struct cgpiod_failure *failure);

// Copies the name of whoever uses the line to `user`, of `size` bytes; empty if nobody does.
void cgpiod_find_user(struct gpiod_chip *chip, int offset, char *user, size_t size);
