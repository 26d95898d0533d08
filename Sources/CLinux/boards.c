#include <stddef.h>
#include <stdint.h>

// Part of C since C23; clang knows it in all versions of the language.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char shipped[] = {
#embed "../../boards/shipped.conf"
};

const uint8_t *clinux_boards(void) { return (const uint8_t *)shipped; }

size_t clinux_boards_size(void) { return sizeof shipped; }
