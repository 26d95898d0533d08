// What one file of the shim uses of another.
#pragma once

#include <stddef.h>
#include <stdint.h>

int64_t clinux_write(int descriptor, const uint8_t *bytes, size_t size);
int clinux_fill_random(uint8_t *bytes, size_t size);
int64_t clinux_read(int descriptor, uint8_t *bytes, size_t size);
// Makes a file if it is missing (mode 0600), opens it with these flags, and locks it: flock(2). The lock
// ends with the descriptor. -EBUSY if another process has it, -EINVAL if it is not a regular file, -EPERM
// if it is another user's.
int clinux_lock(const char *path, int flags);

// SocketPlace of Sources/Linux/OwnedPath.swift. `socket` identifies the file of the socket.
struct clinux_place {
    int32_t lock, reason;
    uint64_t socket;
};

// The values of `reason`, which OwnedPath explains.
enum { CLINUX_NO_REASON, CLINUX_NO_FOLDER, CLINUX_FOREIGN_LOCK, CLINUX_FOREIGN_FILE };
