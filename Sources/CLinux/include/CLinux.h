/// Linux calls that Swift's Glibc module lacks: epoll, signalfd, eventfd and accept4.
///
/// LinuxSystem declares these functions again in Swift, in its CLinux.swift: so all types are
/// plain.
#pragma once

#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>

/// epoll_create1; the descriptor is closed on exec.
int clinux_create_queue(void);

/// epoll_ctl.
int clinux_control(int queue, int operation, int descriptor, uint32_t events, uint64_t data);

/// epoll_wait, for at most 16 events: fills in the data of each descriptor and its events (EPOLLIN
/// and so on).
int clinux_wait(int queue, uint64_t *data, uint32_t *events, int capacity, int timeout);

/// signalfd; the descriptor does not block and is closed on exec.
int clinux_open_signals(const sigset_t *signals);

/// eventfd from zero; the descriptor does not block and is closed on exec.
int clinux_open_bell(void);

/// Accepts the next connection of a listening socket; the new descriptor does not block and is
/// closed on exec. -1 with errno set if there is none.
int clinux_accept(int listener);
