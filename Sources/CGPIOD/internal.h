// What differs between the versions of libgpiod; chip.c does what both share.
#pragma once

#if !__has_include(<gpiod.h>)
#error "libgpiod's headers are missing. On Debian and its kin: apt-get install libgpiod-dev"
#endif
#define _GNU_SOURCE
#include <gpiod.h>

#include "CGPIOD.h"

// Only version 1 has this; the header's name is the same.
#ifdef GPIOD_LINE_BULK_MAX_LINES
#define CGPIOD_VERSION 1
#else
#define CGPIOD_VERSION 2
#endif

enum { CGPIOD_MOST_LINES = 8 };

// Whether the chip has this label; NULL is every label.
int cgpiod_has_label(struct gpiod_chip *chip, const char *label);

// The offset of the line, or -1.
int cgpiod_find_line(struct gpiod_chip *chip, const struct cgpiod_line *line, int by_name_alone);

// Requests the lines at the offsets that were found; NULL with errno and failure->line set. Takes
// ownership of the chip on success.
struct cgpiod_lines *cgpiod_request(struct gpiod_chip *chip, const char *consumer,
                                    const struct cgpiod_line *lines, const int *offsets,
                                    size_t count, struct cgpiod_error *failure);

// Copies the name of the line's user to `user`, of `size` bytes; empty without a user.
void cgpiod_find_user(struct gpiod_chip *chip, int offset, char *user, size_t size);
