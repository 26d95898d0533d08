/// The system calls of the Linux port, in plain types, for Swift with and without a C library.
///
/// A call that fails returns a negated errno, unless its comment says otherwise. No call allocates.
/// Calls that a signal interrupts are repeated.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Descriptors

/// read(2).
int64_t clinuxport_read(int descriptor, uint8_t *bytes, size_t size);

/// write(2).
int64_t clinuxport_write(int descriptor, const uint8_t *bytes, size_t size);

/// send(2) with MSG_DONTWAIT and MSG_NOSIGNAL.
int64_t clinuxport_send(int descriptor, const uint8_t *bytes, size_t size);

/// close(2).
void clinuxport_close(int descriptor);

/// Opens a file to read it.
int clinuxport_open_file(const char *path);

/// The kind of an open file.
enum clinuxport_kind {
    CLINUXPORT_KIND_OTHER = 0,
    CLINUXPORT_KIND_SOCKET = 1,
    CLINUXPORT_KIND_PIPE = 2,
    CLINUXPORT_KIND_TERMINAL = 3,
};

/// A clinuxport_kind; regular files and devices other than terminals are OTHER.
int clinuxport_kind(int descriptor);

/// Opens the descriptor's file a second time, for writing without waiting. The first description,
/// which other programs may share, keeps its flags.
int clinuxport_reopen(int descriptor);

/// Whether a few bytes can be written without waiting: 1 or 0.
int clinuxport_has_room(int descriptor);

// The loop

/// An event of a descriptor.
struct clinuxport_event {
    /// EPOLLIN and so on.
    uint32_t events;
    /// The number given when the descriptor was added.
    uint32_t token;
};

/// epoll_create1.
int clinuxport_create_queue(void);

/// epoll_ctl.
int clinuxport_control(int queue, int operation, int descriptor, uint32_t events, uint32_t token);

/// epoll_wait, for at most 8 events; -1 is no timeout. Returns 0 if a signal interrupts it.
int clinuxport_wait(int queue, struct clinuxport_event *events, int capacity, int timeout);

/// CLOCK_MONOTONIC, in milliseconds.
uint64_t clinuxport_now(void);

/// The seconds since 1970; `fraction` gets the microseconds of the second.
uint32_t clinuxport_time(uint32_t *fraction);

// The process

/// Fills `bytes` with random numbers: getrandom(2).
int clinuxport_fill_random(uint8_t *bytes, size_t size);

/// Blocks SIGINT, SIGTERM, SIGHUP and SIGPIPE, and makes a descriptor of the first three. SIGHUP is
/// left alone if it is ignored, as by nohup(1).
int clinuxport_open_signals(void);

/// The result of clinuxport_next_signal.
enum clinuxport_signal {
    CLINUXPORT_SIGNAL_NONE = 0,
    /// SIGINT or SIGTERM.
    CLINUXPORT_SIGNAL_END = 1,
    /// SIGHUP.
    CLINUXPORT_SIGNAL_HANG_UP = 2,
};

/// Takes the next signal: a clinuxport_signal.
int clinuxport_next_signal(int descriptor);

/// The value of an environment variable; NULL if it is not set.
const char *clinuxport_environment(const char *name);

/// The C library's text for an errno.
const char *clinuxport_words(int code);

/// errno, after a call to CBluetooth or CGPIOD.
int clinuxport_last_error(void);

/// The number of this process.
int clinuxport_process_number(void);

/// Writes the path of the program, without a final zero; returns its length.
int64_t clinuxport_program_path(uint8_t *bytes, size_t size);

/// Ends the process.
_Noreturn void clinuxport_end(int status);

/// The group that may read and write a file, if it is not root's: its number, or 0 without one.
uint32_t clinuxport_group(const char *path);

// UNIX sockets

/// Connects to the socket at a path of at most 107 bytes. The descriptor does not wait.
int clinuxport_connect_unix(const char *path);

/// The right to a socket's path, and the socket there.
struct clinuxport_place {
    /// The lock, in the file .NAME.eightball-lock beside the path.
    int lock;
    /// The socket's file.
    uint64_t device, file;
};

/// Listens at a path of at most 107 bytes, for this user alone: a descriptor. From its first moment at the path
/// the socket can be connected to. Replaces the socket of a program of this user that has ended; EADDRINUSE if
/// another program has the path, EEXIST if the file there is something else.
int clinuxport_listen_unix(const char *path, struct clinuxport_place *place);

/// Removes the socket from its path, if it is still there, and gives the path back.
void clinuxport_leave_unix(const char *path, const struct clinuxport_place *place);

/// Raises the send buffer of a connection to the kernel's limit for a user.
void clinuxport_keep_more(int descriptor);

/// The user number of the owner of `path`, or of the target of a link there.
int64_t clinuxport_owner(const char *path, int follows_links);

/// The user number of the program at the other end of a connection of a UNIX socket.
int64_t clinuxport_peer(int descriptor);

/// The effective user number of the program.
uint32_t clinuxport_user(void);

/// Makes a socket for datagrams.
int clinuxport_open_datagrams(void);

/// Sends a datagram to a socket's path, or to an abstract name, of at most 107 bytes: 0. Never
/// waits.
int clinuxport_notify(int descriptor, const char *name, size_t length, int is_abstract,
                      const uint8_t *bytes, size_t size);

// TCP

/// Parses an IPv4 or IPv6 address: returns its length in bytes, 4 or 16, or 0 for any other text.
int clinuxport_parse_address(const char *text, uint8_t *address);

/// Begins to connect: `is_pending` is 1 if the connection is not made yet. The descriptor does not
/// block.
int clinuxport_connect_tcp(const uint8_t *address, int length, uint16_t port, int *is_pending);

/// Takes the errno of a failed connection attempt; 0 if it succeeded.
int clinuxport_connection_error(int descriptor);

/// Listens on a port.
int clinuxport_listen_tcp(const uint8_t *address, int length, uint16_t port);

/// Takes the next connection.
int clinuxport_accept(int listener);

// Serial lines

/// Opens a serial line.
int clinuxport_open_serial(const char *path);

/// Sets a serial line to raw bytes, 8N1 with hardware flow control, for this program alone.
///
/// ENOTTY if it is no serial line. A line without this speed takes the nearest that it has.
int clinuxport_configure_serial(int descriptor, uint32_t speed);

// Directories

/// Watches the names in a directory: inotify(7).
int clinuxport_watch_directory(const char *path);

// The file of the bonds, at an absolute path of at most 255 bytes, and the program that keeps it

/// Makes the missing folders of a file, for this user alone.
int clinuxport_make_folders(const char *path);

/// Makes a file if it is missing (mode 0600), and locks it: flock(2). The lock ends with the descriptor. EBUSY if
/// another process has it, EINVAL if it is not a regular file, EPERM if it is another user's.
int clinuxport_lock(const char *path);

/// Takes the lock of a file of bonds, PATH.lock, as clinuxport_lock does: `lock` is its descriptor, or negative.
/// Then opens the file of this user to read it, and removes the permissions of others: `was_open_to_others` is 1 if
/// they had any. EINVAL if it is not a regular file, EPERM if it is another user's.
int clinuxport_open_bonds(const char *path, int *lock, int *was_open_to_others);

/// Renames a file to PATH.unusable.
int clinuxport_set_aside(const char *path);

/// Writes a new file beside the old one, PATH.new, syncs it, and renames it: 0. If it fails, the old file stays.
/// Only for the holder of the lock.
int clinuxport_replace(const char *path, const uint8_t *bytes, size_t size);

// The text of boards/shipped.conf

/// Its bytes, without a final zero.
const uint8_t *clinuxport_boards(void);

/// How many they are.
size_t clinuxport_boards_size(void);
