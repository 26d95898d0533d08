#define _GNU_SOURCE
#include "CLinuxPort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/stat.h>

int clinuxport_make_folder(const char *path) {
    return mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

// Closes a file after a failed call on it, and returns that call's errno.
static int give_up(int descriptor) {
    int code = errno;
    close(descriptor);
    return -code;
}

int clinuxport_open_own(const char *path, int *was_open_to_others) {
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) return -errno;
    if (fstat(descriptor, &status) < 0) return give_up(descriptor);
    errno = !S_ISREG(status.st_mode) ? EINVAL : status.st_uid != geteuid() ? EPERM : 0;
    if (errno != 0) return give_up(descriptor);
    if (flock(descriptor, LOCK_EX | LOCK_NB) < 0) {
        if (errno == EWOULDBLOCK) errno = EBUSY;
        return give_up(descriptor);
    }
    *was_open_to_others = (status.st_mode & 077) != 0;
    if (*was_open_to_others && fchmod(descriptor, 0600) < 0) return give_up(descriptor);
    return descriptor;
}

int clinuxport_rename(const char *from, const char *to) { return rename(from, to) < 0 ? -errno : 0; }

static int fill(int descriptor, const uint8_t *bytes, size_t size) {
    if (fchmod(descriptor, 0600) < 0 || flock(descriptor, LOCK_EX | LOCK_NB) < 0) return -1;
    while (size > 0) {
        int64_t count = clinuxport_write(descriptor, bytes, size);
        if (count <= 0) {
            errno = count < 0 ? (int)-count : ENOSPC;
            return -1;
        }
        bytes += count;
        size -= (size_t)count;
    }
    return fsync(descriptor);
}

int clinuxport_replace(const char *path, const char *new_path, const char *folder, const uint8_t *bytes,
                       size_t size) {
    // Removes the remains of a killed process.
    unlink(new_path);
    int descriptor =
        open(new_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) return -errno;
    if (fill(descriptor, bytes, size) < 0 || rename(new_path, path) < 0) {
        int code = give_up(descriptor);
        unlink(new_path);
        return code;
    }
    // Syncs the new name to the disk. File systems that cannot do this do not need it.
    int parent = open(folder, O_RDONLY | O_CLOEXEC);
    if (parent >= 0) {
        fsync(parent);
        close(parent);
    }
    return descriptor;
}

extern char **environ;

int clinuxport_become(const char *program, const char *const *arguments) {
    execve(program, (char *const *)arguments, environ);
    return -errno;
}
