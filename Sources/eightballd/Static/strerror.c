// strerror(3) with the errors that the kernel gives for files, sockets, serial lines and GPIO chips. musl has a text for
// each error of Linux: 1 kB more. Another error gives its number.

#include <string.h>

// For each error a byte with its number, which is the same on all processors that eightballd is built for, and its
// text with a zero.
static const char texts[] =
    "\001" "Operation not permitted\0" // EPERM
    "\002" "No such file or directory\0" // ENOENT
    "\004" "Interrupted system call\0" // EINTR
    "\005" "I/O error\0" // EIO
    "\006" "No such device or address\0" // ENXIO
    "\011" "Bad file descriptor\0" // EBADF
    "\013" "Resource temporarily unavailable\0" // EAGAIN
    "\014" "Out of memory\0" // ENOMEM
    "\015" "Permission denied\0" // EACCES
    "\016" "Bad address\0" // EFAULT
    "\020" "Resource busy\0" // EBUSY
    "\021" "File exists\0" // EEXIST
    "\022" "Cross-device link\0" // EXDEV
    "\023" "No such device\0" // ENODEV
    "\024" "Not a directory\0" // ENOTDIR
    "\025" "Is a directory\0" // EISDIR
    "\026" "Invalid argument\0" // EINVAL
    "\027" "Too many open files in system\0" // ENFILE
    "\030" "No file descriptors available\0" // EMFILE
    "\031" "Not a tty\0" // ENOTTY
    "\032" "Text file busy\0" // ETXTBSY
    "\033" "File too large\0" // EFBIG
    "\034" "No space left on device\0" // ENOSPC
    "\035" "Invalid seek\0" // ESPIPE
    "\036" "Read-only file system\0" // EROFS
    "\040" "Broken pipe\0" // EPIPE
    "\044" "Filename too long\0" // ENAMETOOLONG
    "\045" "No locks available\0" // ENOLCK
    "\046" "Function not implemented\0" // ENOSYS
    "\047" "Directory not empty\0" // ENOTEMPTY
    "\050" "Symbolic link loop\0" // ELOOP
    "\107" "Protocol error\0" // EPROTO
    "\113" "Value too large for data type\0" // EOVERFLOW
    "\130" "Not a socket\0" // ENOTSOCK
    "\132" "Message too large\0" // EMSGSIZE
    "\135" "Protocol not supported\0" // EPROTONOSUPPORT
    "\137" "Not supported\0" // EOPNOTSUPP
    "\141" "Address family not supported by protocol\0" // EAFNOSUPPORT
    "\142" "Address in use\0" // EADDRINUSE
    "\143" "Address not available\0" // EADDRNOTAVAIL
    "\144" "Network is down\0" // ENETDOWN
    "\145" "Network unreachable\0" // ENETUNREACH
    "\147" "Connection aborted\0" // ECONNABORTED
    "\150" "Connection reset by peer\0" // ECONNRESET
    "\151" "No buffer space available\0" // ENOBUFS
    "\153" "Socket not connected\0" // ENOTCONN
    "\156" "Operation timed out\0" // ETIMEDOUT
    "\157" "Connection refused\0" // ECONNREFUSED
    "\160" "Host is down\0" // EHOSTDOWN
    "\161" "Host is unreachable\0" // EHOSTUNREACH
    "\162" "Operation already in progress\0" // EALREADY
    "\163" "Operation in progress\0" // EINPROGRESS
    "\171" "Remote I/O error\0" // EREMOTEIO
    "\172" "Quota exceeded\0" // EDQUOT
    "\175" "Operation canceled\0" // ECANCELED
    ;

char *strerror(int number)
{
    static char other[] = "error 000";

    for (const char *row = texts; *row; row += strlen(row) + 1)
        if (*row == number)
            return (char *)row + 1;
    for (char *digit = other + 8; digit > other + 5; digit--, number /= 10)
        *digit = (char)('0' + number % 10);
    return other;
}
