#define _GNU_SOURCE
#include "CLinux.h"

#include <sys/socket.h>

int clinux_control(int queue, int operation, int descriptor, uint32_t events, uint64_t data) {
    struct epoll_event event = {.events = events, .data.u64 = data};
    return epoll_ctl(queue, operation, descriptor, &event);
}

int clinux_wait(int queue, struct clinux_event *events, int capacity, int timeout) {
    struct epoll_event ready[16];
    const int most = (int)(sizeof ready / sizeof ready[0]);
    int count = epoll_wait(queue, ready, capacity < most ? capacity : most, timeout);
    for (int index = 0; index < count; index++) {
        events[index].data = ready[index].data.u64;
        events[index].events = ready[index].events;
    }
    return count;
}

int clinux_accept(int listener) {
    return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
