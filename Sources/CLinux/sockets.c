#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

int64_t clinux_send(int descriptor, const uint8_t *bytes, size_t size) {
    ssize_t count;
    do count = send(descriptor, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

static int open_socket(int family, int type) {
    int descriptor = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return descriptor < 0 ? -errno : descriptor;
}

// Closes a socket after a failed call on it, and returns that call's errno.
static int give_up(int descriptor) {
    int code = errno;
    close(descriptor);
    return -code;
}

// A socket for streams, and the address of one at a path.
static int open_unix(const char *path, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) return -ENAMETOOLONG;
    strcpy(address->sun_path, path);
    return open_socket(AF_UNIX, SOCK_STREAM);
}

int clinux_connect_unix(const char *path) {
    struct sockaddr_un address;
    int descriptor = open_unix(path, &address);
    if (descriptor < 0) return descriptor;
    int result;
    do result = connect(descriptor, (const struct sockaddr *)&address, sizeof address);
    while (result < 0 && errno == EINTR);
    return result < 0 ? give_up(descriptor) : descriptor;
}

// 0 if the path is a socket of this user without a listener; otherwise an errno.
static int why_taken(const char *path) {
    struct stat status;
    if (lstat(path, &status) < 0) return errno;
    if (!S_ISSOCK(status.st_mode) || status.st_uid != geteuid()) return EEXIST;
    int other = clinux_connect_unix(path);
    if (other >= 0) close(other);
    return other == -ECONNREFUSED ? 0 : EADDRINUSE;
}

// The length of the path's folder with its slash; 0 for the current one.
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// A path with the name of its lock.
typedef char lock_path[sizeof((struct sockaddr_un *)0)->sun_path + sizeof "..eightball-lock"];

// ".NAME.eightball-lock" beside the path.
static void write_lock_path(const char *path, lock_path lock) {
    size_t length = folder_length(path);
    memcpy(lock, path, length);
    lock[length] = '.';
    strcpy(stpcpy(lock + length + 1, path + length), ".eightball-lock");
}

// Binds a socket to a random name in the path's folder, which `address` gets, and listens: 0 or -1.
static int listen_beside(int descriptor, const char *path, struct sockaddr_un *address) {
    size_t length = folder_length(path);
    // Where the folder leaves less room, the name is shorter.
    const size_t end = length + 12 < sizeof address->sun_path ? length + 12 : sizeof address->sun_path - 1;
    uint64_t number = 0;
    clinux_fill_random((uint8_t *)&number, sizeof number);
    memset(address->sun_path + length, 0, sizeof address->sun_path - length);
    for (; length < end; number >>= 4) address->sun_path[length++] = (char)('a' + (number & 15));
    // Before bind: the file never has another mode.
    if (fchmod(descriptor, S_IRUSR | S_IWUSR) < 0) return -1;
    if (bind(descriptor, (const struct sockaddr *)address, sizeof *address) < 0) return -1;
    return listen(descriptor, 16);
}

// Gives a listening socket its path, in place of one without a listener: 0 or -1.
static int move_to(const char *path, const char *name, struct clinux_place *place) {
    struct stat status;
    if (link(name, path) < 0) {
        if (errno == EEXIST) errno = why_taken(path);
        // The lock is ours: no other ball replaces the socket meanwhile.
        if (errno != 0 || unlink(path) < 0 || link(name, path) < 0) return -1;
    }
    if (lstat(path, &status) < 0) return -1;
    place->device = status.st_dev;
    place->file = status.st_ino;
    return 0;
}

int clinux_listen_unix(const char *path, struct clinux_place *place) {
    struct sockaddr_un address;
    lock_path lock;
    int descriptor = open_unix(path, &address);
    if (descriptor < 0) return descriptor;
    write_lock_path(path, lock);
    place->lock = clinux_lock(lock);
    if (place->lock < 0) {
        errno = place->lock == -EBUSY ? EADDRINUSE : -place->lock;
        return give_up(descriptor);
    }
    int result = listen_beside(descriptor, path, &address);
    if (result == 0) result = move_to(path, address.sun_path, place);
    int code = errno;
    unlink(address.sun_path);
    if (result == 0) return descriptor;
    unlink(lock);
    close(place->lock);
    close(descriptor);
    return -code;
}

void clinux_leave_unix(const char *path, const struct clinux_place *place) {
    struct stat status;
    lock_path lock;
    if (lstat(path, &status) == 0 && status.st_dev == place->device && status.st_ino == place->file) {
        unlink(path);
        // Removed while it is locked: a program that has opened it then finds it missing.
        write_lock_path(path, lock);
        unlink(lock);
    }
    close(place->lock);
}

void clinux_keep_more(int descriptor) {
    // What is over the kernel's limit is cut to it: socket(7). Without the option the buffer is half of that.
    int size = 262144;
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
}

int64_t clinux_owner(const char *path, int follows_links) {
    struct stat status;
    int result = follows_links ? stat(path, &status) : lstat(path, &status);
    return result < 0 ? -errno : (int64_t)status.st_uid;
}

int64_t clinux_peer(int descriptor) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -errno;
    return (int64_t)peer.uid;
}

uint32_t clinux_user(void) { return geteuid(); }

int clinux_open_datagrams(void) { return open_socket(AF_UNIX, SOCK_DGRAM); }

int clinux_notify(int descriptor, const char *name, size_t length, int is_abstract,
                      const uint8_t *bytes, size_t size) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t first = is_abstract ? 1 : 0;
    if (length == 0 || length + 1 > sizeof address.sun_path) return -ENAMETOOLONG;
    memcpy(address.sun_path + first, name, length);
    // Zero bytes after an abstract name would be part of it.
    socklen_t total = is_abstract ? (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)
                                  : (socklen_t)sizeof address;
    ssize_t count;
    do count = sendto(descriptor, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT,
                      (const struct sockaddr *)&address, total);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : 0;
}

int clinux_parse_address(const char *text, uint8_t *address) {
    if (inet_pton(AF_INET, text, address) == 1) return 4;
    if (inet_pton(AF_INET6, text, address) == 1) return 16;
    return 0;
}

// The address of a host's port, IPv4 or IPv6.
union tcp_address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

static socklen_t fill(union tcp_address *address, const uint8_t *bytes, int length, uint16_t port) {
    memset(address, 0, sizeof *address);
    if (length == 4) {
        address->four.sin_family = AF_INET;
        address->four.sin_port = htons(port);
        memcpy(&address->four.sin_addr, bytes, 4);
        return sizeof address->four;
    }
    address->six.sin6_family = AF_INET6;
    address->six.sin6_port = htons(port);
    memcpy(&address->six.sin6_addr, bytes, 16);
    return sizeof address->six;
}

// Nagle's algorithm would delay an answer while the previous one is on its way. Without the option
// answers are late but correct.
static void send_at_once(int descriptor) {
    int yes = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

int clinux_connect_tcp(const uint8_t *bytes, int length, uint16_t port, int *is_pending) {
    union tcp_address address;
    socklen_t size = fill(&address, bytes, length, port);
    int descriptor = open_socket(address.any.sa_family, SOCK_STREAM);
    if (descriptor < 0) return descriptor;
    *is_pending = 0;
    if (connect(descriptor, &address.any, size) < 0) {
        // After EINTR, connecting continues.
        if (errno != EINPROGRESS && errno != EINTR) return give_up(descriptor);
        *is_pending = 1;
    }
    send_at_once(descriptor);
    return descriptor;
}

int clinux_connection_error(int descriptor) {
    int code = 0;
    socklen_t size = sizeof code;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) < 0) return errno;
    return code;
}

int clinux_listen_tcp(const uint8_t *bytes, int length, uint16_t port) {
    union tcp_address address;
    int yes = 1;
    socklen_t size = fill(&address, bytes, length, port);
    int descriptor = open_socket(address.any.sa_family, SOCK_STREAM);
    if (descriptor < 0) return descriptor;
    // Otherwise a restart would fail until the last run's connections have timed out.
    if (setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) < 0 ||
        bind(descriptor, &address.any, size) < 0 || listen(descriptor, 16) < 0) {
        return give_up(descriptor);
    }
    return descriptor;
}

int clinux_accept(int listener) {
    int descriptor;
    // A peer that has already gone is no failure.
    do descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    while (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED));
    if (descriptor < 0) return -errno;
    send_at_once(descriptor);
    return descriptor;
}
