#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>

int64_t clinux_read(int descriptor, uint8_t *bytes, size_t size) {
    ssize_t count;
    do count = read(descriptor, bytes, size);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

int64_t clinux_write(int descriptor, const uint8_t *bytes, size_t size) {
    ssize_t count;
    do count = write(descriptor, bytes, size);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

// Not repeated on EINTR: Linux has freed the number by then, perhaps for another file.
void clinux_close(int descriptor) { close(descriptor); }

int clinux_open_file(const char *path) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    return descriptor < 0 ? -errno : descriptor;
}

enum { KIND_OTHER, KIND_SOCKET, KIND_PIPE, KIND_TERMINAL };

int clinux_kind(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) < 0) return -errno;
    if (S_ISSOCK(status.st_mode)) return KIND_SOCKET;
    if (S_ISFIFO(status.st_mode)) return KIND_PIPE;
    if (S_ISCHR(status.st_mode) && isatty(descriptor)) return KIND_TERMINAL;
    return KIND_OTHER;
}

int clinux_reopen(int descriptor) {
    char path[32] = "/proc/self/fd/";
    if (descriptor < 0) return -EBADF;
    // printf would add its code to a static program.
    size_t end = strlen(path);
    int scale = 1;
    while (descriptor / scale > 9) scale *= 10;
    for (; scale > 0; scale /= 10) path[end++] = (char)('0' + descriptor / scale % 10);
    int second = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return second < 0 ? -errno : second;
}

int clinux_has_room(int descriptor) {
    struct pollfd wait = {.fd = descriptor, .events = POLLOUT};
    // After a hang-up a write is possible too, and reports it.
    return poll(&wait, 1, 0) != 0;
}

// The numbers in Swift: PollQueue and Readiness of Sources/Linux.
_Static_assert(EPOLL_CTL_ADD == 1 && EPOLL_CTL_DEL == 2 && EPOLL_CTL_MOD == 3, "operations");
_Static_assert(EPOLLIN == 0x001 && EPOLLOUT == 0x004 && EPOLLERR == 0x008 && EPOLLHUP == 0x010, "events");
_Static_assert((unsigned)EPOLLET == 1u << 31 && (unsigned)EPOLLONESHOT == 1u << 30, "ways");

int clinux_create_queue(void) {
    int queue = epoll_create1(EPOLL_CLOEXEC);
    return queue < 0 ? -errno : queue;
}

int clinux_control(int queue, int operation, int descriptor, uint32_t events, uint32_t token) {
    struct epoll_event event = {.events = events, .data.u32 = token};
    return epoll_ctl(queue, operation, descriptor, &event) < 0 ? -errno : 0;
}

int clinux_wait(int queue, uint32_t *tokens, uint32_t *events, int capacity, int timeout) {
    struct epoll_event ready[8];
    const int most = (int)(sizeof ready / sizeof ready[0]);
    int count = epoll_wait(queue, ready, capacity < most ? capacity : most, timeout);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (int index = 0; index < count; index++) {
        tokens[index] = ready[index].data.u32;
        events[index] = ready[index].events;
    }
    return count;
}

int clinux_open_bell(void) {
    int bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return bell < 0 ? -errno : bell;
}

uint64_t clinux_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000u + (uint32_t)time.tv_nsec / 1000000u;
}

uint32_t clinux_time(uint32_t *fraction) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    *fraction = (uint32_t)time.tv_nsec / 1000u;
    return (uint32_t)time.tv_sec;
}

int clinux_fill_random(uint8_t *bytes, size_t size) {
    // getrandom(2) never returns fewer than 256 requested bytes.
    ssize_t count;
    do count = getrandom(bytes, size, 0);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : (size_t)count == size ? 0 : -EIO;
}

// The system call itself, whose structure begins with the handler: musl's sigaction takes 0.6 kB of
// a static program.
int clinux_ignores(int signal) {
    struct { void (*handler)(int); unsigned long others[16]; } action;
    return syscall(SYS_rt_sigaction, signal, NULL, &action, 8) == 0 && action.handler == SIG_IGN;
}

// The kernel's set has the bit N - 1 for the signal N. Both libraries begin theirs with it.
static sigset_t signals_of(uint64_t numbers) {
    sigset_t signals = {0};
    numbers >>= 1;
    memcpy(&signals, &numbers, sizeof numbers);
    return signals;
}

int clinux_open_signals(uint64_t numbers) {
    sigset_t signals = signals_of(numbers);
    int descriptor = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    int code = errno;
    // A write to a pipe without a reader then fails with EPIPE.
    signals = signals_of(numbers | 1u << SIGPIPE);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    return descriptor < 0 ? -code : descriptor;
}

int clinux_next_signal(int descriptor) {
    struct signalfd_siginfo info;
    if (clinux_read(descriptor, (uint8_t *)&info, sizeof info) != (int64_t)sizeof info) return 0;
    return (int)info.ssi_signo;
}

const char *clinux_environment(const char *name) { return getenv(name); }

const char *clinux_words(int code) { return strerror(code); }

int clinux_last_error(void) { return errno; }

int clinux_process_number(void) { return (int)getpid(); }

int64_t clinux_program_path(uint8_t *bytes, size_t size) {
    ssize_t length = readlink("/proc/self/exe", (char *)bytes, size);
    return length < 0 ? -errno : length;
}

void clinux_end(int status) { _exit(status); }

uint32_t clinux_group(const char *path) {
    struct stat status;
    const mode_t both = S_IRGRP | S_IWGRP;
    if (lstat(path, &status) < 0 || (status.st_mode & both) != both) return 0;
    return status.st_gid;
}

int clinux_watch_directory(const char *path) {
    int descriptor = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (descriptor < 0) return -errno;
    const uint32_t interest =
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR;
    if (inotify_add_watch(descriptor, path, interest) >= 0) return descriptor;
    int code = errno;
    close(descriptor);
    return -code;
}
