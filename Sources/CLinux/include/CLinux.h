/// What Linux has and the Glibc module of Swift leaves out: epoll, signalfd, eventfd and accept4.
#pragma once

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

/// A descriptor that is ready: epoll_event without its union.
struct clinux_event {
    /// What was given when the descriptor was added.
    uint64_t data;
    /// EPOLLIN and so on.
    uint32_t events;
};

/// epoll_ctl.
int clinux_control(int queue, int operation, int descriptor, uint32_t events, uint64_t data);

/// epoll_wait, for at most 16 events.
int clinux_wait(int queue, struct clinux_event *events, int capacity, int timeout);

/// Takes the next connection of a listening socket; the new descriptor does not block and is
/// closed on exec. -1 with errno set if there is none.
int clinux_accept(int listener);
