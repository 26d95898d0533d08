// The functions of the C module CLinux: system calls in plain types. A call that fails returns a
// negated errno, unless its comment says otherwise. No call allocates. Calls that a signal
// interrupts are repeated.
//
// The module has no header, so that each function is declared once: an import of the header would
// be a second declaration for every client to find (SE-0409: without library evolution, a client
// needs each C module below a library). A package that does not depend on this one, and finds its
// modules in the same build folder (`#if canImport(CoreBluetooth)`), does not know where it is.
// Who changes a function changes it in both languages: the compiler does not compare them.

// MARK: Descriptors

/// read(2).
@_extern(c) package func clinux_read(
  _ descriptor: Int32, _ bytes: UnsafeMutablePointer<UInt8>?, _ size: Int
) -> Int64

/// write(2).
@_extern(c) package func clinux_write(
  _ descriptor: Int32, _ bytes: UnsafePointer<UInt8>?, _ size: Int
) -> Int64

/// send(2) with MSG_DONTWAIT and MSG_NOSIGNAL.
@_extern(c) package func clinux_send(
  _ descriptor: Int32, _ bytes: UnsafePointer<UInt8>?, _ size: Int
) -> Int64

/// Sends all bytes, and waits each time at most `limit` milliseconds for room. Returns how many it has sent, or a
/// negated errno.
@_extern(c) package func clinux_send_whole(
  _ descriptor: Int32, _ bytes: UnsafePointer<UInt8>?, _ size: Int, _ limit: Int32
) -> Int64

/// close(2).
@_extern(c) package func clinux_close(_ descriptor: Int32)

/// Opens a file to read it. Does not wait for the writer of a pipe.
@_extern(c) package func clinux_open_file(_ path: UnsafePointer<CChar>?) -> Int32

/// The kind of an open file.
package enum FileKind: Int32 {
  /// A regular file, or a device other than a terminal.
  case other
  case socket
  case pipe
  case terminal
}

/// The number of a `FileKind`.
@_extern(c) package func clinux_kind(_ descriptor: Int32) -> Int32

/// Opens the descriptor's file a second time, for writing without waiting. The first description,
/// which other programs may share, keeps its flags.
@_extern(c) package func clinux_reopen(_ descriptor: Int32) -> Int32

/// Whether a few bytes can be written without waiting: 1 or 0.
@_extern(c) package func clinux_has_room(_ descriptor: Int32) -> Int32

// MARK: The loop

/// epoll_create1.
@_extern(c) package func clinux_create_queue() -> Int32

/// epoll_ctl.
@_extern(c) package func clinux_control(
  _ queue: Int32, _ operation: Int32, _ descriptor: Int32, _ events: UInt32, _ token: UInt32
) -> Int32

/// epoll_wait, for at most 8 events; -1 waits forever. Fills in the token of each descriptor and
/// its events, EPOLLIN and so on. Returns their number; 0 if a signal interrupts it.
@_extern(c) package func clinux_wait(
  _ queue: Int32, _ tokens: UnsafeMutablePointer<UInt32>?, _ events: UnsafeMutablePointer<UInt32>?,
  _ capacity: Int32, _ timeout: Int32
) -> Int32

/// eventfd.
@_extern(c) package func clinux_open_bell() -> Int32

/// CLOCK_MONOTONIC, in milliseconds.
@_extern(c) package func clinux_now() -> UInt64

/// The seconds since 1970; `fraction` gets the microseconds of the second.
@_extern(c) package func clinux_time(_ fraction: UnsafeMutablePointer<UInt32>?) -> UInt32

// MARK: The process

/// Fills `bytes` with random numbers: getrandom(2).
@_extern(c) package func clinux_fill_random(
  _ bytes: UnsafeMutablePointer<UInt8>?, _ size: Int
) -> Int32

/// Blocks the signals whose bits are set, and SIGPIPE, and makes a descriptor of the first.
@_extern(c) package func clinux_open_signals(_ signals: UInt64) -> Int32

/// Takes the next signal: its number, or 0.
@_extern(c) package func clinux_next_signal(_ descriptor: Int32) -> Int32

/// Whether this process ignores a signal: 1 or 0.
@_extern(c) package func clinux_ignores(_ signal: Int32) -> Int32

/// The value of an environment variable; NULL if it is not set.
@_extern(c) package func clinux_environment(_ name: UnsafePointer<CChar>?) -> UnsafePointer<CChar>?

/// The C library's text for an errno.
@_extern(c) package func clinux_words(_ code: Int32) -> UnsafePointer<CChar>?

/// errno, after a call to CBluetooth or CGPIOD.
@_extern(c) package func clinux_last_error() -> Int32

/// The number of this process.
@_extern(c) package func clinux_process_number() -> Int32

/// Writes the path of the program, without a final zero; returns its length.
@_extern(c) package func clinux_program_path(
  _ bytes: UnsafeMutablePointer<UInt8>?, _ size: Int
) -> Int64

/// Ends the process, and does not return.
@_extern(c) package func clinux_end(_ status: Int32)

/// The group that may read and write a file, if it is not root's: its number, or 0 without one.
@_extern(c) package func clinux_group(_ path: UnsafePointer<CChar>?) -> UInt32

// MARK: UNIX sockets

/// Connects to the socket at a path of at most 107 bytes. The descriptor does not wait.
@_extern(c) package func clinux_connect_unix(_ path: UnsafePointer<CChar>?) -> Int32

/// Claims the right to a path of 1 to 240 bytes: 0. EADDRINUSE if another program has it, EEXIST with a
/// reason if the file of its lock is something else. `place` points to a `SocketPlace`.
@_extern(c) package func clinux_claim(
  _ path: UnsafePointer<CChar>?, _ place: UnsafeMutableRawPointer?
) -> Int32

/// Claims a path of 1 to 107 bytes and listens there, for this user alone: a descriptor. From its first
/// moment at the path the socket can be connected to. Replaces the socket that the last owner of the
/// lock has left, or any socket of this user without a listener; EADDRINUSE if a program listens there,
/// EEXIST with a reason if the file there is something else.
@_extern(c) package func clinux_listen_unix(
  _ path: UnsafePointer<CChar>?, _ replacesAll: Int32, _ place: UnsafeMutableRawPointer?
) -> Int32

/// Removes the socket from its path, if it is still there, and gives a claimed path back.
@_extern(c) package func clinux_leave_unix(
  _ path: UnsafePointer<CChar>?, _ place: UnsafeRawPointer?
)

/// Raises the send buffer of a connection to the kernel's limit for a user.
@_extern(c) package func clinux_keep_more(_ descriptor: Int32)

/// The user number of the owner of `path`, or of the target of a link there.
@_extern(c) package func clinux_owner(_ path: UnsafePointer<CChar>?, _ followsLinks: Int32) -> Int64

/// 1 if `path` leads to a socket, 0 if it leads to another file or to none.
@_extern(c) package func clinux_is_socket(_ path: UnsafePointer<CChar>?) -> Int32

/// The user number of the program at the other end of a connection of a UNIX socket.
@_extern(c) package func clinux_peer(_ descriptor: Int32) -> Int64

/// The effective user number of the program.
@_extern(c) package func clinux_user() -> UInt32

/// Makes a socket for datagrams.
@_extern(c) package func clinux_open_datagrams() -> Int32

/// Sends a datagram to a socket's path, or to an abstract name, of at most 107 bytes: 0. Never
/// waits.
@_extern(c) package func clinux_notify(
  _ descriptor: Int32, _ name: UnsafePointer<CChar>?, _ length: Int, _ isAbstract: Int32,
  _ bytes: UnsafePointer<UInt8>?, _ size: Int
) -> Int32

/// Unmaps the code and the constants of the program and its libraries. The kernel maps again what is used.
@_extern(c) package func clinux_forget_start()

// MARK: D-Bus

/// recvmsg(2), with at most `capacity` descriptors (16 at most) that come with the bytes: their number
/// is `count`. Never waits.
@_extern(c) package func clinux_receive_with_descriptors(
  _ descriptor: Int32, _ bytes: UnsafeMutablePointer<UInt8>?, _ size: Int,
  _ received: UnsafeMutablePointer<Int32>?, _ capacity: Int32, _ count: UnsafeMutablePointer<Int32>?
) -> Int64

/// sendmsg(2) with one descriptor, which stays this program's. Never waits.
@_extern(c) package func clinux_send_with_descriptor(
  _ descriptor: Int32, _ bytes: UnsafePointer<UInt8>?, _ size: Int, _ sent: Int32
) -> Int64

/// A pair of connected sockets for packets: one descriptor, and `other`.
@_extern(c) package func clinux_open_packet_pair(_ other: UnsafeMutablePointer<Int32>?) -> Int32

/// Maps memory of zeros, which costs a page when it is first touched; NULL if the kernel refuses.
@_extern(c) package func clinux_map(_ size: Int) -> UnsafeMutableRawPointer?

/// Gives mapped memory back.
@_extern(c) package func clinux_unmap(_ start: UnsafeMutableRawPointer?, _ size: Int)

/// Gives the pages of mapped memory back, which stay mapped, as zeros. `start` begins a page.
@_extern(c) package func clinux_discard(_ start: UnsafeMutableRawPointer?, _ size: Int)

// MARK: TCP

/// Parses an IPv4 or IPv6 address: returns its length in bytes, 4 or 16, or 0 for any other text. `scope`
/// is the number of the interface after a percent sign, or 0.
@_extern(c) package func clinux_parse_address(
  _ text: UnsafePointer<CChar>?, _ address: UnsafeMutablePointer<UInt8>?,
  _ scope: UnsafeMutablePointer<UInt32>?
) -> Int32

/// Begins to connect: `isPending` is 1 if the connection is not made yet. The descriptor does not
/// block.
@_extern(c) package func clinux_connect_tcp(
  _ address: UnsafePointer<UInt8>?, _ length: Int32, _ scope: UInt32, _ port: UInt16,
  _ isPending: UnsafeMutablePointer<Int32>?
) -> Int32

/// Takes the errno of a failed connection attempt; 0 if it succeeded.
@_extern(c) package func clinux_connection_error(_ descriptor: Int32) -> Int32

/// Listens on a port.
@_extern(c) package func clinux_listen_tcp(
  _ address: UnsafePointer<UInt8>?, _ length: Int32, _ scope: UInt32, _ port: UInt16
) -> Int32

/// Takes the next connection.
@_extern(c) package func clinux_accept(_ listener: Int32) -> Int32

// MARK: Serial lines

/// Opens a serial line.
@_extern(c) package func clinux_open_serial(_ path: UnsafePointer<CChar>?) -> Int32

/// Sets a serial line to raw bytes, 8N1 with hardware flow control, for this program alone.
///
/// ENOTTY if it is not a serial port. A line without this speed takes the nearest that it has.
@_extern(c) package func clinux_configure_serial(_ descriptor: Int32, _ speed: UInt32) -> Int32

// MARK: I2C

/// Opens an I2C bus, makes one transfer, and closes it: sends bytes to the device at an address of seven
/// bits, and then receives bytes from it, or does one of both. 0, or why it failed: `wasOpened` is 0 if the
/// bus could not be opened. ENOTTY if it is not an I2C bus.
///
/// An SMBus controller sends at most 33 bytes, or receives at most 32 after one that it sends, or receives
/// one: EMSGSIZE for others.
@_extern(c) package func clinux_transfer_i2c(
  _ path: UnsafePointer<CChar>?, _ wasOpened: UnsafeMutablePointer<Int32>?, _ address: UInt8,
  _ sent: UnsafePointer<UInt8>?, _ sentSize: Int, _ received: UnsafeMutablePointer<UInt8>?,
  _ receivedSize: Int
) -> Int32

// MARK: Directories

/// Watches the names in a directory: inotify(7).
@_extern(c) package func clinux_watch_directory(_ path: UnsafePointer<CChar>?) -> Int32

// MARK: The file of the bonds

// At a path of at most 240 bytes, and the program that keeps it.

/// Makes the missing folders of a file, for this user alone.
@_extern(c) package func clinux_make_folders(_ path: UnsafePointer<CChar>?) -> Int32

/// Opens the file of this user, or of any user for root, to read it: `isOpenToOthers` is 1 if other
/// users have permissions. EINVAL if it is not a regular file, EPERM if it is another user's.
@_extern(c) package func clinux_read_bonds(
  _ path: UnsafePointer<CChar>?, _ isOpenToOthers: UnsafeMutablePointer<Int32>?
) -> Int32

/// Takes the lock of a file of bonds, PATH.lock: `lock` is its descriptor, or negative. EBUSY if another
/// process has it. Then opens the file of this user to read it, and removes the permissions of others:
/// `wasOpenToOthers` is 1 if they had any. EINVAL if it is not a regular file, EPERM if it is
/// another user's.
@_extern(c) package func clinux_open_bonds(
  _ path: UnsafePointer<CChar>?, _ lock: UnsafeMutablePointer<Int32>?,
  _ wasOpenToOthers: UnsafeMutablePointer<Int32>?
) -> Int32

/// Renames a file to PATH.unusable.
@_extern(c) package func clinux_set_aside(_ path: UnsafePointer<CChar>?) -> Int32

/// Writes a new file beside the old one, PATH.new, syncs it, and renames it: 0. If it fails, the
/// old file stays. Only for the holder of the lock.
@_extern(c) package func clinux_replace(
  _ path: UnsafePointer<CChar>?, _ bytes: UnsafePointer<UInt8>?, _ size: Int
) -> Int32

// MARK: The text of boards/shipped.conf

/// Its bytes, without a final zero.
@_extern(c) package func clinux_boards() -> UnsafePointer<UInt8>

/// How many they are.
@_extern(c) package func clinux_boards_size() -> Int

// The functions of the C module CBluetooth: Linux's adapters in plain types. It has no header, for
// the reason that CLinux.swift gives. Nothing of libbluetooth is linked. Each call that fails
// returns -1 and sets errno.

/// Fills in the kernel's data on hci`number`. ENODEV if there is none.
///
/// `isUp`: the kernel uses it, perhaps for bluetoothd. `isRaw`: it has not been set up or is not an LE
/// controller, so only raw access works. `isHeld`: a program has its user channel. `bus`: hdev->bus
/// of the kernel, such as 1 for USB and 3 for UART. `address`: the 6 bytes of its public address,
/// least significant first; zeros without one.
@_extern(c) package func cbluetooth_find_adapter(
  _ number: UInt16, _ isUp: UnsafeMutablePointer<Bool>?, _ isRaw: UnsafeMutablePointer<Bool>?,
  _ isHeld: UnsafeMutablePointer<Bool>?, _ bus: UnsafeMutablePointer<UInt8>?,
  _ address: UnsafeMutablePointer<UInt8>?
) -> Int32

/// Fills in the numbers of the first adapters, and returns how many. The kernel has at most 16.
@_extern(c) package func cbluetooth_list_adapters(
  _ numbers: UnsafeMutablePointer<UInt16>?, _ capacity: Int32
) -> Int32

/// Takes an adapter down, so that the kernel's stack does not use it. EPERM without CAP_NET_ADMIN;
/// EUSERS if another program has its user channel.
@_extern(c) package func cbluetooth_take_down(_ number: UInt16) -> Int32

/// Gives an adapter back to the kernel's stack. Does nothing if it is up.
@discardableResult
@_extern(c) package func cbluetooth_bring_up(_ number: UInt16) -> Int32

/// Opens the user channel of an adapter that is down: one packet a read or write, H4's type byte
/// first. The descriptor does not block, and is closed on exec.
///
/// EBUSY if the adapter is up; EUSERS if another program has the channel; EPERM without
/// CAP_NET_ADMIN; ENODEV if there is no such adapter; ERFKILL if it is blocked.
@_extern(c) package func cbluetooth_open_user_channel(_ number: UInt16) -> Int32
