// A disk in memory with one folder, /simulated/, under the system calls of Sources/CLinux/bonds.c. The program that
// links this file gets these calls in place of the C library's, so the code that writes bonds runs unchanged. All
// other paths and descriptors go to the kernel.
//
// The disk keeps no promise that POSIX does not make: data is on it after fsync of its file, and a name after fsync of
// its folder. What is not synchronised may survive a power cut in any part and any order.
#define _GNU_SOURCE
#include "CSimulation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_FILES = 32, MOST_NAMES = 8, MOST_CHANGES = 32, MOST_OPEN = 8, FILE_SIZE = 4096, NAME_SIZE = 64 };
// Far above the kernel's numbers.
enum { FIRST_DESCRIPTOR = 1 << 24 };
static const char folder[] = "/simulated/";

struct file {
    bool is_used, is_synced;
    mode_t mode;
    size_t size;
    uint8_t bytes[FILE_SIZE];
};

struct name {
    char text[NAME_SIZE];
    int file;
};

// A change of the folder since it was synchronised: `removed` and `added` name a file that `added` had not; either may
// be empty.
struct change {
    char removed[NAME_SIZE];
    struct name added;
};

struct descriptor {
    int number, file;
    size_t offset;
    bool has_lock;
};

struct simulated_disk {
    struct file files[MOST_FILES];
    struct name names[MOST_NAMES], synced_names[MOST_NAMES];
    struct change changes[MOST_CHANGES];
    int change_count;
    struct descriptor open[MOST_OPEN];
    int next_number, failure, calls_left;
    bool is_off;
};

static _Thread_local struct simulated_disk *disk;

struct simulated_disk *simulated_disk_new(void) {
    struct simulated_disk *new = calloc(1, sizeof *new);
    if (!new) abort();
    new->next_number = FIRST_DESCRIPTOR;
    new->calls_left = -1;
    return new;
}

void simulated_disk_free(struct simulated_disk *old) {
    if (disk == old) disk = NULL;
    free(old);
}

void simulated_disk_use(struct simulated_disk *used) { disk = used; }
void simulated_disk_fail(struct simulated_disk *it, int failure) { it->failure = failure; }
void simulated_disk_cut_after(struct simulated_disk *it, int calls) { it->calls_left = calls; }
bool simulated_disk_is_off(const struct simulated_disk *it) { return it->is_off; }
void simulated_disk_end_process(struct simulated_disk *it) { memset(it->open, 0, sizeof it->open); }

// ---- Names and files ----

static struct name *find(struct name *names, const char *text) {
    for (int index = 0; index < MOST_NAMES; index++) {
        if (strcmp(names[index].text, text) == 0) return &names[index];
    }
    return NULL;
}

static void apply(struct name *names, const struct change *change) {
    struct name *old = change->removed[0] ? find(names, change->removed) : NULL;
    if (old) old->text[0] = 0;
    if (!change->added.text[0]) return;
    struct name *entry = find(names, change->added.text);
    if (!entry) entry = find(names, "");
    if (!entry) abort();
    *entry = change->added;
}

static void sync_folder(struct simulated_disk *it) {
    memcpy(it->synced_names, it->names, sizeof it->names);
    it->change_count = 0;
}

// Changes the folder; the change is on the disk when the folder is synchronised.
static void change_folder(const char *removed, const char *added, int file) {
    if (disk->change_count == MOST_CHANGES) sync_folder(disk);
    struct change *change = &disk->changes[disk->change_count++];
    memset(change, 0, sizeof *change);
    if (removed) strcpy(change->removed, removed);
    if (added) strcpy(change->added.text, added);
    change->added.file = file;
    apply(disk->names, change);
}

static bool is_named(const struct simulated_disk *it, int file) {
    for (int index = 0; index < MOST_NAMES; index++) {
        if (it->names[index].text[0] && it->names[index].file == file) return true;
        if (it->synced_names[index].text[0] && it->synced_names[index].file == file) return true;
    }
    for (int index = 0; index < it->change_count; index++) {
        if (it->changes[index].added.text[0] && it->changes[index].added.file == file) return true;
    }
    for (int index = 0; index < MOST_OPEN; index++) {
        if (it->open[index].number && it->open[index].file == file) return true;
    }
    return false;
}

static int new_file(mode_t mode) {
    for (int index = 0; index < MOST_FILES; index++) {
        if (disk->files[index].is_used && is_named(disk, index)) continue;
        memset(&disk->files[index], 0, sizeof disk->files[index]);
        disk->files[index].is_used = true;
        disk->files[index].mode = S_IFREG | mode;
        return index;
    }
    abort();
}

// ---- The power ----

static uint64_t next_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

// What a power cut leaves of data that was not synchronised.
static void tear(struct file *file, uint64_t *seed) {
    size_t kept = file->size ? next_random(seed) % (file->size + 1) : 0;
    switch (next_random(seed) % 4) {
    case 0: file->size = 0; break;
    case 1: file->size = kept; break;
    case 2: memset(file->bytes + kept, 0, file->size - kept); break;
    default: break;
    }
}

void simulated_disk_crash(struct simulated_disk *it, uint64_t seed) {
    for (int index = 0; index < it->change_count; index++) {
        if (next_random(&seed) % 2) apply(it->synced_names, &it->changes[index]);
    }
    memcpy(it->names, it->synced_names, sizeof it->names);
    it->change_count = 0;
    for (int index = 0; index < MOST_FILES; index++) {
        if (it->files[index].is_used && !it->files[index].is_synced) tear(&it->files[index], &seed);
        it->files[index].is_synced = true;
    }
    simulated_disk_end_process(it);
    it->is_off = false;
    it->calls_left = -1;
}

long simulated_disk_read(const struct simulated_disk *it, const char *name, uint8_t *bytes, size_t size) {
    const struct name *entry = find((struct name *)it->names, name);
    if (!entry) return -1;
    const struct file *file = &it->files[entry->file];
    size_t count = file->size < size ? file->size : size;
    memcpy(bytes, file->bytes, count);
    return (long)count;
}

static int fail(int code) {
    errno = code;
    return -1;
}

// Counts a call; false if the power is off.
static bool has_power(void) {
    if (disk->calls_left >= 0 && disk->calls_left-- == 0) disk->is_off = true;
    if (disk->is_off) errno = EIO;
    return !disk->is_off;
}

// ---- System calls ----

// The name of a file on the disk; NULL for another path. The folder has the name "".
static const char *on_disk(const char *path) {
    size_t length = sizeof folder - 1;
    if (!disk || strncmp(path, folder, length - 1) != 0) return NULL;
    return path[length - 1] ? path + length : "";
}

static struct descriptor *descriptor(int number) {
    for (int index = 0; disk && index < MOST_OPEN; index++) {
        if (disk->open[index].number == number) return &disk->open[index];
    }
    return NULL;
}

static int open_on_disk(const char *name, int flags, mode_t mode) {
    if (!has_power()) return -1;
    int file = -1;
    struct name *entry = find(disk->names, name);
    if (*name && entry) {
        if (flags & O_EXCL) return fail(EEXIST);
        file = entry->file;
    } else if (*name) {
        if (!(flags & O_CREAT)) return fail(ENOENT);
        if (disk->failure == DISK_REFUSES_FILES) return fail(ENOSPC);
        file = new_file(mode);
        change_folder(NULL, name, file);
    }
    for (int index = 0; index < MOST_OPEN; index++) {
        if (disk->open[index].number) continue;
        disk->open[index] = (struct descriptor){.number = disk->next_number++, .file = file};
        return disk->open[index].number;
    }
    return fail(EMFILE);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    const char *name = on_disk(path);
    return name ? open_on_disk(name, flags, mode) : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int close(int number) {
    if (number < FIRST_DESCRIPTOR) return (int)syscall(SYS_close, number);
    struct descriptor *it = descriptor(number);
    if (!it) return fail(EBADF);
    memset(it, 0, sizeof *it);
    return 0;
}

ssize_t read(int number, void *bytes, size_t size) {
    if (number < FIRST_DESCRIPTOR) return syscall(SYS_read, number, bytes, size);
    struct descriptor *it = descriptor(number);
    if (!it || it->file < 0) return fail(EBADF);
    if (!has_power()) return -1;
    const struct file *file = &disk->files[it->file];
    size_t count = file->size - it->offset < size ? file->size - it->offset : size;
    memcpy(bytes, file->bytes + it->offset, count);
    it->offset += count;
    return (ssize_t)count;
}

ssize_t write(int number, const void *bytes, size_t size) {
    if (number < FIRST_DESCRIPTOR) return syscall(SYS_write, number, bytes, size);
    struct descriptor *it = descriptor(number);
    if (!it || it->file < 0) return fail(EBADF);
    if (!has_power()) return -1;
    struct file *file = &disk->files[it->file];
    // A disk that becomes full takes a part first.
    if (disk->failure == DISK_REFUSES_DATA) size = it->offset ? 0 : size / 2;
    if (size == 0 || it->offset + size > FILE_SIZE) return fail(ENOSPC);
    memcpy(file->bytes + it->offset, bytes, size);
    it->offset += size;
    if (file->size < it->offset) file->size = it->offset;
    file->is_synced = false;
    return (ssize_t)size;
}

int fsync(int number) {
    if (number < FIRST_DESCRIPTOR) return (int)syscall(SYS_fsync, number);
    struct descriptor *it = descriptor(number);
    if (!it) return fail(EBADF);
    if (!has_power()) return -1;
    if (it->file < 0) {
        sync_folder(disk);
        return 0;
    }
    if (disk->failure == DISK_CANNOT_SYNC) return fail(EIO);
    disk->files[it->file].is_synced = true;
    return 0;
}

static int status_on_disk(int file, struct stat *status) {
    memset(status, 0, sizeof *status);
    status->st_dev = 1;
    status->st_ino = (ino_t)(file + 2);
    status->st_mode = file < 0 ? S_IFDIR | 0700 : disk->files[file].mode;
    status->st_uid = geteuid();
    status->st_gid = getegid();
    status->st_size = file < 0 ? 0 : (off_t)disk->files[file].size;
    return 0;
}

int fstat(int number, struct stat *status) {
    if (number < FIRST_DESCRIPTOR) return (int)syscall(SYS_fstat, number, status);
    struct descriptor *it = descriptor(number);
    if (!it) return fail(EBADF);
    return has_power() ? status_on_disk(it->file, status) : -1;
}

int lstat(const char *path, struct stat *status) {
    const char *name = on_disk(path);
    if (!name) return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
    if (!has_power()) return -1;
    struct name *entry = *name ? find(disk->names, name) : NULL;
    return !*name ? status_on_disk(-1, status) : entry ? status_on_disk(entry->file, status) : fail(ENOENT);
}

int rename(const char *old, const char *new) {
    const char *from = on_disk(old), *to = on_disk(new);
    if (!from || !to) return (int)syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0);
    if (!has_power()) return -1;
    struct name *entry = find(disk->names, from);
    if (!entry) return fail(ENOENT);
    change_folder(from, to, entry->file);
    return 0;
}

int unlink(const char *path) {
    const char *name = on_disk(path);
    if (!name) return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (!has_power()) return -1;
    if (!find(disk->names, name)) return fail(ENOENT);
    change_folder(name, NULL, 0);
    return 0;
}

int mkdir(const char *path, mode_t mode) {
    if (on_disk(path)) return fail(EEXIST);
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int fchmod(int number, mode_t mode) {
    if (number < FIRST_DESCRIPTOR) return (int)syscall(SYS_fchmod, number, mode);
    struct descriptor *it = descriptor(number);
    if (!it || it->file < 0) return fail(EBADF);
    if (!has_power()) return -1;
    disk->files[it->file].mode = S_IFREG | (mode & 07777);
    return 0;
}

int fchown(int number, uid_t user, gid_t group) {
    if (number < FIRST_DESCRIPTOR) return (int)syscall(SYS_fchown, number, user, group);
    if (!descriptor(number)) return fail(EBADF);
    return has_power() ? 0 : -1;
}

int flock(int number, int operation) {
    if (number < FIRST_DESCRIPTOR) return (int)syscall(SYS_flock, number, operation);
    struct descriptor *it = descriptor(number);
    if (!it) return fail(EBADF);
    if (!has_power()) return -1;
    for (int index = 0; index < MOST_OPEN; index++) {
        const struct descriptor *other = &disk->open[index];
        if (other != it && other->has_lock && other->file == it->file) return fail(EWOULDBLOCK);
    }
    it->has_lock = true;
    return 0;
}
