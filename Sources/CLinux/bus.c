// What D-Bus needs beside bytes: descriptors that travel with them, and memory for long messages.
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

int64_t clinux_receive_with_descriptors(int descriptor, uint8_t *bytes, size_t size, int32_t *received,
                                        int32_t capacity, int32_t *count) {
    enum { most = 16 };
    union {
        struct cmsghdr header;
        uint8_t space[CMSG_SPACE(sizeof(int) * most)];
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control};
    ssize_t length;
    // More descriptors than fit are closed by the kernel.
    message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)(capacity < most ? capacity : most));
    *count = 0;
    do length = recvmsg(descriptor, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (length < 0 && errno == EINTR);
    if (length < 0) return -errno;
    // The kernel gives all descriptors in one item.
    const struct cmsghdr *item = CMSG_FIRSTHDR(&message);
    if (item && item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_RIGHTS) {
        size_t number = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(received, CMSG_DATA(item), number * sizeof(int));
        *count = (int32_t)number;
    }
    return length;
}

int64_t clinux_send_with_descriptor(int descriptor, const uint8_t *bytes, size_t size, int32_t sent) {
    union {
        struct cmsghdr header;
        uint8_t space[CMSG_SPACE(sizeof(int))];
    } control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct iovec part = {.iov_base = (uint8_t *)bytes, .iov_len = size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                             .msg_controllen = sizeof control.space};
    ssize_t length;
    memcpy(CMSG_DATA(&control.header), &sent, sizeof sent);
    do length = sendmsg(descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (length < 0 && errno == EINTR);
    return length < 0 ? -errno : length;
}

int clinux_open_packet_pair(int32_t *other) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) return -errno;
    *other = pair[1];
    return pair[0];
}

void *clinux_map(size_t size) {
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return NULL;
    // A huge page would cost 2 MB for the first byte. A kernel without them refuses, which is fine.
    madvise(start, size, MADV_NOHUGEPAGE);
    return start;
}

void clinux_unmap(void *start, size_t size) { munmap(start, size); }

void clinux_discard(void *start, size_t size) { madvise(start, size, MADV_DONTNEED); }
