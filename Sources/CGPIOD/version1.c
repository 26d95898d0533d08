#include "internal.h"

#if CGPIOD_VERSION == 1

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

// Version 1 has one descriptor a line; a queue combines them.
struct cgpiod_lines {
    struct gpiod_chip *chip;
    struct gpiod_line *lines[CGPIOD_MOST_LINES];
    // The descriptors of inputs; -1 for outputs.
    int events[CGPIOD_MOST_LINES];
    int count;
    int queue;
    // The line to check first, so that a chattering one does not hide the others.
    int next;
};

int cgpiod_has_label(struct gpiod_chip *chip, const char *label) {
    return label == NULL || strcmp(gpiod_chip_label(chip), label) == 0;
}

int cgpiod_find_line(struct gpiod_chip *chip, const struct cgpiod_line *line, int by_name_alone) {
    struct gpiod_line *found = line->name ? gpiod_chip_find_line(chip, line->name) : NULL;
    if (found != NULL) return (int)gpiod_line_offset(found);
    if (by_name_alone || line->offset < 0) return -1;
    return (unsigned)line->offset < gpiod_chip_num_lines(chip) ? line->offset : -1;
}

void cgpiod_find_user(struct gpiod_chip *chip, int offset, char *user, size_t size) {
    struct gpiod_line *line = gpiod_chip_get_line(chip, (unsigned)offset);
    user[0] = '\0';
    // The library's copy may be older than the line's release.
    if (line == NULL || gpiod_line_update(line) != 0 || !gpiod_line_is_used(line)) return;
    const char *consumer = gpiod_line_consumer(line);
    snprintf(user, size, "%s", consumer ? consumer : "?");
}

static int flags_of(const struct cgpiod_line *line) {
    int flags = line->is_active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
    switch (line->bias) {
    case CGPIOD_BIAS_PULL_UP: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
    case CGPIOD_BIAS_PULL_DOWN: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
    default: return flags;
    }
}

// Requests one line; -1 with errno set if it fails.
static int request_line(struct cgpiod_lines *lines, int index, const struct cgpiod_line *wanted,
                        int offset, const char *consumer) {
    struct gpiod_line *line = gpiod_chip_get_line(lines->chip, (unsigned)offset);
    if (line == NULL) return -1;
    struct gpiod_line_request_config config = {
        .consumer = consumer,
        .request_type = wanted->is_output ? GPIOD_LINE_REQUEST_DIRECTION_OUTPUT
                                          : GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES,
        .flags = flags_of(wanted),
    };
    if (gpiod_line_request(line, &config, 0) != 0) return -1;
    lines->lines[index] = line;
    if (wanted->is_output) return 0;

    int descriptor = gpiod_line_event_get_fd(line);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)index};
    if (descriptor < 0 || fcntl(descriptor, F_SETFL, O_NONBLOCK) != 0) return -1;
    if (epoll_ctl(lines->queue, EPOLL_CTL_ADD, descriptor, &event) != 0) return -1;
    lines->events[index] = descriptor;
    return 0;
}

// Releases the granted lines; the caller closes the chip.
static void release(struct cgpiod_lines *lines) {
    for (int index = 0; index < lines->count; index++) {
        if (lines->lines[index] != NULL) gpiod_line_release(lines->lines[index]);
    }
    if (lines->queue >= 0) close(lines->queue);
    free(lines);
}

struct cgpiod_lines *cgpiod_request(struct gpiod_chip *chip, const char *consumer,
                                    const struct cgpiod_line *wanted, const int *offsets,
                                    size_t count, struct cgpiod_error *failure) {
    struct cgpiod_lines *lines = calloc(1, sizeof *lines);
    if (lines == NULL) return NULL;
    lines->chip = chip;
    lines->count = (int)count;
    for (size_t index = 0; index < CGPIOD_MOST_LINES; index++) lines->events[index] = -1;
    lines->queue = epoll_create1(EPOLL_CLOEXEC);
    int is_granted = lines->queue >= 0;
    for (size_t index = 0; is_granted && index < count; index++) {
        is_granted =
            request_line(lines, (int)index, &wanted[index], offsets[index], consumer) == 0;
        if (!is_granted) failure->line = (int32_t)index;
    }
    if (is_granted) return lines;
    int code = errno;
    release(lines);
    errno = code;
    return NULL;
}

void cgpiod_close(struct cgpiod_lines *lines) {
    struct gpiod_chip *chip = lines->chip;
    release(lines);
    gpiod_chip_close(chip);
}

int cgpiod_descriptor(const struct cgpiod_lines *lines) {
    return lines->queue;
}

int cgpiod_next_edge(struct cgpiod_lines *lines, struct cgpiod_edge *edge) {
    for (int turn = 0; turn < lines->count; turn++) {
        int index = (lines->next + turn) % lines->count;
        struct gpiod_line_event event;
        if (lines->events[index] < 0) continue;
        if (gpiod_line_event_read_fd(lines->events[index], &event) != 0) {
            if (errno == EAGAIN || errno == EINTR) continue;
            return -1;
        }
        lines->next = index + 1;
        edge->line = index;
        edge->is_active = event.event_type == GPIOD_LINE_EVENT_RISING_EDGE;
        edge->time = (uint64_t)event.ts.tv_sec * 1000000000u + (uint64_t)event.ts.tv_nsec;
        return 1;
    }
    return 0;
}

int cgpiod_value(struct cgpiod_lines *lines, int32_t line) {
    if (line < 0 || line >= lines->count) return errno = EINVAL, -1;
    return gpiod_line_get_value(lines->lines[line]);
}

int cgpiod_set_value(struct cgpiod_lines *lines, int32_t line, int is_active) {
    if (line < 0 || line >= lines->count) return errno = EINVAL, -1;
    return gpiod_line_set_value(lines->lines[line], is_active != 0);
}

#endif
