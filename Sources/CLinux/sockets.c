#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
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

int64_t clinux_send_whole(int descriptor, const uint8_t *bytes, size_t size, int limit) {
    size_t sent = 0;
    while (sent < size) {
        int64_t count = clinux_send(descriptor, bytes + sent, size - sent);
        if (count >= 0) {
            sent += count;
            continue;
        }
        if (count != -EAGAIN) return count;
        struct pollfd room = {descriptor, POLLOUT, 0};
        if (poll(&room, 1, limit) <= 0) break;
    }
    return sent;
}

static int open_socket(int family, int type) {
    int descriptor = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return descriptor < 0 ? -errno : descriptor;
}

// How many connections may wait to be accepted. The kernel's own limit may be lower.
enum { waiting_connections = 1024 };

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
    // bind(2) takes an empty path as an abstract name.
    if (*path == 0 || strlen(path) >= sizeof address->sun_path) return -ENAMETOOLONG;
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

// The length of the path's folder with its slash; 0 for the current one.
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// The name of a path's lock: ".NAME.eightball-lock" beside it. The path has at most 240 bytes.
typedef char lock_path[240 + sizeof "..eightball-lock"];

static void write_lock_path(const char *path, lock_path lock) {
    size_t length = folder_length(path);
    memcpy(lock, path, length);
    lock[length] = '.';
    strcpy(stpcpy(lock + length + 1, path + length), ".eightball-lock");
}

// The content of a lock. The mark shows that the file is one, and `socket` is what its owner made.
struct lock_content {
    char mark[16];
    uint64_t socket;
};

static const char mark[16] = "eightball\n";

// A number for a file that no other has, nor a later one with its inode: its device, its inode and when it
// was written, mixed by an odd factor. Nothing writes to a socket's file.
__attribute__((noinline)) static uint64_t identity(const struct stat *status) {
    const uint64_t factor = 0x9E3779B97F4A7C15;
    uint64_t sum = status->st_dev;
    sum = sum * factor + status->st_ino;
    sum = sum * factor + (uint64_t)status->st_mtim.tv_sec;
    return sum * factor + (uint64_t)status->st_mtim.tv_nsec;
}

// Gives the reason beside an errno, which it returns.
static int refuse(struct clinux_place *place, int reason, int code) {
    place->reason = reason;
    return -code;
}

// Reads an open lock, and checks that it is one of this user: 0, or a negated errno.
static int read_lock(struct clinux_place *place) {
    struct lock_content content = {0};
    struct stat status;
    if (fstat(place->lock, &status) < 0) return -errno;
    int64_t count = clinux_read(place->lock, (uint8_t *)&content, sizeof content);
    if (count < 0) return (int)count;
    if (status.st_uid != geteuid() || (count > 0 && memcmp(content.mark, mark, sizeof mark) != 0)) {
        return refuse(place, CLINUX_FOREIGN_LOCK, EEXIST);
    }
    place->socket = content.socket;
    return 0;
}

int clinux_claim(const char *path, struct clinux_place *place) {
    struct stat status;
    lock_path lock;
    write_lock_path(path, lock);
    // Checked before it is opened: opening changes some devices.
    bool exists = lstat(lock, &status) == 0;
    if (exists && (!S_ISREG(status.st_mode) || status.st_uid != geteuid())) {
        return refuse(place, CLINUX_FOREIGN_LOCK, EEXIST);
    }
    place->lock = clinux_lock(lock, O_RDWR);
    if (place->lock == -EBUSY) return -EADDRINUSE;
    if (place->lock == -ENOENT) return refuse(place, CLINUX_NO_FOLDER, ENOENT);
    if (place->lock < 0) return place->lock;
    int result = read_lock(place);
    if (result < 0) close(place->lock);
    return result;
}

// 0 if the path has a socket without a listener that the owner of the lock may replace; otherwise a
// negated errno.
static int check_leftover(const char *path, bool replaces_all, struct clinux_place *place) {
    struct stat status;
    if (lstat(path, &status) < 0) return -errno;
    bool is_ours = S_ISSOCK(status.st_mode) && status.st_uid == geteuid();
    if (is_ours) {
        int other = clinux_connect_unix(path);
        if (other >= 0) close(other);
        if (other != -ECONNREFUSED) return -EADDRINUSE;
        is_ours = replaces_all || identity(&status) == place->socket;
    }
    return is_ours ? 0 : refuse(place, CLINUX_FOREIGN_FILE, EEXIST);
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
    return listen(descriptor, waiting_connections);
}

// Gives a listening socket its path, in place of one without a listener: 0, or a negated errno.
static int move_to(const char *path, const char *name, bool replaces_all, struct clinux_place *place) {
    struct lock_content content;
    struct stat status;
    memcpy(content.mark, mark, sizeof mark);
    if (link(name, path) < 0) {
        int result = errno == EEXIST ? check_leftover(path, replaces_all, place) : -errno;
        if (result < 0) return result;
        // The lock is ours: no other program of this kind replaces the socket meanwhile.
        if (unlink(path) < 0 || link(name, path) < 0) return -errno;
    }
    if (lstat(path, &status) < 0) return -errno;
    content.socket = place->socket = identity(&status);
    ssize_t count = pwrite(place->lock, &content, sizeof content, 0);
    if (count == sizeof content) return 0;
    int code = count < 0 ? errno : ENOSPC;
    unlink(path);
    return -code;
}

// Removes a file from its path, if it is still there. A link is not followed.
__attribute__((noinline)) static void remove_file(const char *path, uint64_t file) {
    struct stat status;
    if (lstat(path, &status) == 0 && identity(&status) == file) unlink(path);
}

void clinux_leave_unix(const char *path, const struct clinux_place *place) {
    struct stat status;
    lock_path lock;
    remove_file(path, place->socket);
    // Removed while it is locked: a program that has opened it then finds it missing.
    write_lock_path(path, lock);
    if (fstat(place->lock, &status) == 0) remove_file(lock, identity(&status));
    close(place->lock);
}

int clinux_listen_unix(const char *path, int replaces_all, struct clinux_place *place) {
    struct sockaddr_un address;
    int descriptor = open_unix(path, &address);
    if (descriptor < 0) return descriptor;
    int result = clinux_claim(path, place);
    if (result == 0) {
        result = listen_beside(descriptor, path, &address) < 0
            ? -errno : move_to(path, address.sun_path, replaces_all, place);
        unlink(address.sun_path);
        if (result == 0) return descriptor;
        // The socket that was left there stays.
        place->socket = 0;
        clinux_leave_unix(path, place);
    }
    close(descriptor);
    return result;
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

int clinux_is_socket(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISSOCK(status.st_mode);
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

int clinux_parse_address(const char *text, uint8_t *address, uint32_t *scope) {
    char six[INET6_ADDRSTRLEN];
    const char *zone = strchr(text, '%');
    size_t length = zone ? (size_t)(zone - text) : strlen(text);
    *scope = 0;
    if (length >= sizeof six) return 0;
    memcpy(six, text, length);
    six[length] = 0;
    if (!zone) {
        if (inet_pton(AF_INET, six, address) == 1) return 4;
    } else {
        // The number of an interface; its name must be looked up.
        for (zone++; *zone >= '0' && *zone <= '9' && *scope < 100000000; zone++) {
            *scope = *scope * 10 + (uint32_t)(*zone - '0');
        }
        if (*scope == 0 || *zone != 0) return 0;
    }
    return inet_pton(AF_INET6, six, address) == 1 ? 16 : 0;
}

// The address of a host's port, IPv4 or IPv6.
union tcp_address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

static socklen_t fill(union tcp_address *address, const uint8_t *bytes, int length, uint32_t scope, uint16_t port) {
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
    address->six.sin6_scope_id = scope;
    return sizeof address->six;
}

// Nagle's algorithm would delay an answer while the previous one is on its way. Without the option
// answers are late but correct.
static void send_at_once(int descriptor) {
    int yes = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

int clinux_connect_tcp(const uint8_t *bytes, int length, uint32_t scope, uint16_t port, int *is_pending) {
    union tcp_address address;
    socklen_t size = fill(&address, bytes, length, scope, port);
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

int clinux_listen_tcp(const uint8_t *bytes, int length, uint32_t scope, uint16_t port) {
    union tcp_address address;
    int yes = 1;
    socklen_t size = fill(&address, bytes, length, scope, port);
    int descriptor = open_socket(address.any.sa_family, SOCK_STREAM);
    if (descriptor < 0) return descriptor;
    // Otherwise a restart would fail until the last run's connections have timed out.
    if (setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) < 0 ||
        bind(descriptor, &address.any, size) < 0 || listen(descriptor, waiting_connections) < 0) {
        return give_up(descriptor);
    }
    return descriptor;
}

int clinux_accept(int listener) {
    int descriptor;
    // A peer that has already gone is not an error.
    do descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    while (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED));
    if (descriptor < 0) return -errno;
    send_at_once(descriptor);
    return descriptor;
}
