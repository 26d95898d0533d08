#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/stat.h>

// Room for the path of a file of bonds and a suffix.
typedef char longer_path[272];

static const char *beside(longer_path name, const char *path, const char *suffix) {
    strcpy(stpcpy(name, path), suffix);
    return name;
}

int clinux_make_folders(const char *path) {
    longer_path folder;
    int result = 0;
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        memcpy(folder, path, (size_t)(slash - path));
        folder[slash - path] = 0;
        // Creating a parent folder may fail although it exists, so only the last folder counts.
        result = mkdir(folder, 0700) < 0 && errno != EEXIST ? -errno : 0;
    }
    return result;
}

// Closes a file after a failed call on it, and returns that call's errno.
static int give_up(int descriptor) {
    int code = errno;
    close(descriptor);
    return -code;
}

// Opens a regular file of this user; root also opens those of other users, to manage the bonds of a service.
static int open_regular(const char *path, int flags, struct stat *status) {
    int descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
    if (descriptor < 0) return -errno;
    if (fstat(descriptor, status) < 0) return give_up(descriptor);
    bool is_own = status->st_uid == geteuid() || geteuid() == 0;
    errno = !S_ISREG(status->st_mode) ? EINVAL : !is_own ? EPERM : 0;
    return errno != 0 ? give_up(descriptor) : descriptor;
}

int clinux_lock(const char *path, int flags) {
    struct stat status, named;
    for (int attempt = 0; attempt < 16; attempt++) {
        int descriptor = open_regular(path, flags | O_CREAT, &status);
        if (descriptor < 0) return descriptor;
        if (flock(descriptor, LOCK_EX | LOCK_NB) < 0) {
            if (errno == EWOULDBLOCK) errno = EBUSY;
            return give_up(descriptor);
        }
        // Its last owner may have removed the file after it was opened here.
        if (lstat(path, &named) == 0 && named.st_dev == status.st_dev && named.st_ino == status.st_ino) {
            return descriptor;
        }
        close(descriptor);
    }
    return -EBUSY;
}

// Root gives a new file to the owner of the file at the path, such as a service.
static int give_to_owner(int descriptor, const char *path) {
    struct stat status;
    if (geteuid() != 0 || lstat(path, &status) < 0) return 0;
    return fchown(descriptor, status.st_uid, status.st_gid);
}

int clinux_read_bonds(const char *path, int *is_open_to_others) {
    struct stat status;
    int descriptor = open_regular(path, O_RDONLY, &status);
    *is_open_to_others = descriptor >= 0 && (status.st_mode & 077) != 0;
    return descriptor;
}

int clinux_open_bonds(const char *path, int *lock, int *was_open_to_others) {
    longer_path name;
    *lock = clinux_lock(beside(name, path, ".lock"), O_RDONLY);
    if (*lock < 0) return *lock;
    if (give_to_owner(*lock, path) < 0) return -errno;
    int descriptor = clinux_read_bonds(path, was_open_to_others);
    if (descriptor < 0) return descriptor;
    if (*was_open_to_others && fchmod(descriptor, 0600) < 0) return give_up(descriptor);
    return descriptor;
}

int clinux_set_aside(const char *path) {
    longer_path other;
    return rename(path, beside(other, path, ".unusable")) < 0 ? -errno : 0;
}

static int fill(int descriptor, const char *path, const uint8_t *bytes, size_t size) {
    if (fchmod(descriptor, 0600) < 0 || give_to_owner(descriptor, path) < 0) return -1;
    while (size > 0) {
        int64_t count = clinux_write(descriptor, bytes, size);
        if (count <= 0) {
            errno = count < 0 ? (int)-count : ENOSPC;
            return -1;
        }
        bytes += count;
        size -= (size_t)count;
    }
    return fsync(descriptor);
}

int clinux_replace(const char *path, const uint8_t *bytes, size_t size) {
    longer_path new_path;
    beside(new_path, path, ".new");
    // Removes the remains of a killed process.
    unlink(new_path);
    int descriptor =
        open(new_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) return -errno;
    if (fill(descriptor, path, bytes, size) < 0 || rename(new_path, path) < 0) {
        int code = give_up(descriptor);
        unlink(new_path);
        return code;
    }
    close(descriptor);
    // Syncs the new name to the disk. File systems that cannot do this do not need it.
    const char *slash = strrchr(path, '/');
    if (slash) new_path[slash - path + 1] = 0;
    int parent = open(slash ? new_path : ".", O_RDONLY | O_CLOEXEC);
    if (parent >= 0) {
        fsync(parent);
        close(parent);
    }
    return 0;
}
