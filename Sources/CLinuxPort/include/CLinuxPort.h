/// The system calls of the Linux port, in plain types, for Swift with a C library and without one.
///
/// A call that fails gives an errno as a negative number, unless its comment says otherwise. None
/// allocates. Those that a signal interrupts are made again.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Descriptors

/// read(2).
int64_t clinuxport_read(int descriptor, uint8_t *bytes, size_t size);

/// write(2).
int64_t clinuxport_write(int descriptor, const uint8_t *bytes, size_t size);

/// send(2), which neither waits nor raises SIGPIPE, whatever the flags of the socket are.
int64_t clinuxport_send(int descriptor, const uint8_t *bytes, size_t size);

/// close(2).
void clinuxport_close(int descriptor);

/// Opens a file to read it.
int clinuxport_open_file(const char *path);

/// What a descriptor is open on.
enum clinuxport_kind {
    CLINUXPORT_KIND_OTHER = 0,
    CLINUXPORT_KIND_SOCKET = 1,
    CLINUXPORT_KIND_PIPE = 2,
    CLINUXPORT_KIND_TERMINAL = 3,
};

/// A clinuxport_kind; regular files and devices that are no terminals are OTHER.
int clinuxport_kind(int descriptor);

/// Opens what the descriptor is open on a second time, to write without waiting. The flags of the first
/// description, which other programs may share, stay as they are.
int clinuxport_reopen(int descriptor);

/// Whether a few bytes can be written without waiting: 1 or 0.
int clinuxport_has_room(int descriptor);

// The loop

/// An event of a descriptor.
struct clinuxport_event {
    /// EPOLLIN and so on.
    uint32_t events;
    /// The number that the descriptor was added with.
    uint32_t token;
};

/// epoll_create1.
int clinuxport_create_queue(void);

/// epoll_ctl.
int clinuxport_control(int queue, int operation, int descriptor, uint32_t events, uint32_t token);

/// epoll_wait, for at most 8 events; -1 is no timeout. Gives 0 if a signal interrupts it.
int clinuxport_wait(int queue, struct clinuxport_event *events, int capacity, int timeout);

/// CLOCK_MONOTONIC, in milliseconds.
uint64_t clinuxport_now(void);

// The process

/// Fills `bytes` with random numbers: getrandom(2).
int clinuxport_fill_random(uint8_t *bytes, size_t size);

/// Blocks SIGINT, SIGTERM and SIGHUP and makes a descriptor of them. SIGHUP stays as it is where it is
/// ignored, as nohup(1) has it. Blocks SIGPIPE as well.
int clinuxport_open_signals(void);

/// What clinuxport_next_signal has found.
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

/// The C library's words for an errno.
const char *clinuxport_words(int code);

/// errno, after a call to CBluetooth or CGPIOD.
int clinuxport_last_error(void);

/// The number of this process.
int clinuxport_process_number(void);

/// Writes the path of the program, without a zero at the end; gives its length.
int64_t clinuxport_program_path(uint8_t *bytes, size_t size);

/// Ends the process.
_Noreturn void clinuxport_end(int status);

/// Which group may read and write a file, if it is not root's: its number, or 0 if there is none.
uint32_t clinuxport_group(const char *path);

// UNIX sockets

/// Connects to the socket at a path of at most 107 bytes. The descriptor does not wait.
int clinuxport_connect_unix(const char *path);

/// The number of the user whose file is at `path`, or where a link there leads to.
int64_t clinuxport_owner(const char *path, int follows_links);

/// The number of the user who listens at the other end of a connection.
int64_t clinuxport_peer(int descriptor);

/// The number of the user that the program acts as.
uint32_t clinuxport_user(void);

/// Makes a socket for datagrams.
int clinuxport_open_datagrams(void);

/// Sends a datagram to a socket's path, or to an abstract name, of at most 107 bytes: 0, without
/// waiting.
int clinuxport_notify(int descriptor, const char *name, size_t length, int is_abstract,
                      const uint8_t *bytes, size_t size);

// TCP

/// Reads an IPv4 or IPv6 address: gives 4 or 16, the number of its bytes, or 0 if it is something else.
int clinuxport_parse_address(const char *text, uint8_t *address);

/// Begins to connect: `is_pending` is 1 if the connection is not there yet. The descriptor does not wait.
int clinuxport_connect_tcp(const uint8_t *address, int length, uint16_t port, int *is_pending);

/// Takes the errno by which a connection failed; 0 if it did not.
int clinuxport_connection_error(int descriptor);

/// Listens.
int clinuxport_listen_tcp(const uint8_t *address, int length, uint16_t port);

/// Takes the next connection.
int clinuxport_accept(int listener);

// Serial lines

/// Opens a serial line.
int clinuxport_open_serial(const char *path);

/// Makes a serial line carry bytes as they are, 8N1 with hardware flow control, for this program alone.
///
/// ENOTTY if it is none. A line that does not have the speed takes the nearest that it has.
int clinuxport_configure_serial(int descriptor, uint32_t speed);

// Directories

/// Watches the names in a directory: inotify(7).
int clinuxport_watch_directory(const char *path);

// The file of the bonds, and the program that keeps it

/// Makes a folder for this user alone; one that is there stays as it is.
int clinuxport_make_folder(const char *path);

/// Opens a file of this user's own to read it, and locks it. It is this user's alone from then on:
/// `was_open_to_others` is 1 if it was not. EINVAL if it is no regular file, EPERM if it is another
/// user's, EBUSY if another process has it.
int clinuxport_open_own(const char *path, int *was_open_to_others);

/// rename(2).
int clinuxport_rename(const char *from, const char *to);

/// Writes a file anew beside its old self, and gives it the name when it is on the disk. Gives a
/// descriptor that holds the file's lock. The old one stays if that fails.
int clinuxport_replace(const char *path, const char *new_path, const char *folder, const uint8_t *bytes,
                       size_t size);

/// Becomes another program, with the same environment: execve(2). Comes back only if that fails.
int clinuxport_become(const char *program, const char *const *arguments);
