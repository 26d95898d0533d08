#define _GNU_SOURCE
#include "CLinux.h"

#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

int clinux_create_queue(void) { return epoll_create1(EPOLL_CLOEXEC); }

int clinux_control(int queue, int operation, int descriptor, uint32_t events, uint64_t data) {
    struct epoll_event event = {.events = events, .data.u64 = data};
    return epoll_ctl(queue, operation, descriptor, &event);
}

int clinux_wait(int queue, uint64_t *data, uint32_t *events, int capacity, int timeout) {
    struct epoll_event ready[16];
    const int most = (int)(sizeof ready / sizeof ready[0]);
    int count = epoll_wait(queue, ready, capacity < most ? capacity : most, timeout);
    for (int index = 0; index < count; index++) {
        data[index] = ready[index].data.u64;
        events[index] = ready[index].events;
    }
    return count;
}

int clinux_open_signals(const sigset_t *signals) {
    return signalfd(-1, signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

int clinux_open_bell(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int clinux_accept(int listener) {
    return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
