#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

// The numbers in Swift: PollQueue of Sources/Linux, and Epoll of Sources/LinuxSystem.
_Static_assert(EPOLL_CTL_ADD == 1 && EPOLL_CTL_DEL == 2 && EPOLL_CTL_MOD == 3, "operations");
_Static_assert(EPOLLIN == 0x001 && EPOLLOUT == 0x004 && EPOLLERR == 0x008 && EPOLLHUP == 0x010, "events");
_Static_assert((unsigned)EPOLLET == 1u << 31 && (unsigned)EPOLLONESHOT == 1u << 30, "ways");

int clinuxsystem_create_queue(void) { return epoll_create1(EPOLL_CLOEXEC); }

int clinuxsystem_control(int queue, int operation, int descriptor, uint32_t events, uint64_t data) {
    struct epoll_event event = {.events = events, .data.u64 = data};
    return epoll_ctl(queue, operation, descriptor, &event);
}

int clinuxsystem_wait(int queue, uint64_t *data, uint32_t *events, int capacity, int timeout) {
    struct epoll_event ready[16];
    const int most = (int)(sizeof ready / sizeof ready[0]);
    int count = epoll_wait(queue, ready, capacity < most ? capacity : most, timeout);
    for (int index = 0; index < count; index++) {
        data[index] = ready[index].data.u64;
        events[index] = ready[index].events;
    }
    return count;
}

int clinuxsystem_open_signals(const sigset_t *signals) {
    return signalfd(-1, signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

int clinuxsystem_open_bell(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int clinuxsystem_accept(int listener) {
    return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
