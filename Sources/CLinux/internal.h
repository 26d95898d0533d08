// What one file of the shim uses of another.
#pragma once

#include <stddef.h>
#include <stdint.h>

int64_t clinux_write(int descriptor, const uint8_t *bytes, size_t size);
int clinux_fill_random(uint8_t *bytes, size_t size);
int clinux_lock(const char *path);

// SocketPlace of Sources/Linux/CLinux.swift.
struct clinux_place {
    int lock;
    uint64_t device, file;
};
