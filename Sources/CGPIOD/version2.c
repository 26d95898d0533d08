#include "internal.h"

#if CGPIOD_VERSION == 2

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

// Version 2 requests all lines at once, with one descriptor.
struct cgpiod_lines {
    struct gpiod_chip *chip;
    struct gpiod_line_request *request;
    struct gpiod_edge_event_buffer *buffer;
    unsigned offsets[CGPIOD_MOST_LINES];
    int count;
};

int cgpiod_has_label(struct gpiod_chip *chip, const char *label) {
    if (label == NULL) return 1;
    struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
    if (info == NULL) return 0;
    int is_same = strcmp(gpiod_chip_info_get_label(info), label) == 0;
    gpiod_chip_info_free(info);
    return is_same;
}

int cgpiod_find_line(struct gpiod_chip *chip, const struct cgpiod_line *line, int by_name_alone) {
    int offset = line->name ? gpiod_chip_get_line_offset_from_name(chip, line->name) : -1;
    if (offset >= 0) return offset;
    if (by_name_alone || line->offset < 0) return -1;
    struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
    if (info == NULL) return -1;
    int is_there = (size_t)line->offset < gpiod_chip_info_get_num_lines(info);
    gpiod_chip_info_free(info);
    return is_there ? line->offset : -1;
}

void cgpiod_find_user(struct gpiod_chip *chip, int offset, char *user, size_t size) {
    user[0] = '\0';
    struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, (unsigned)offset);
    if (info == NULL) return;
    if (gpiod_line_info_is_used(info)) {
        const char *consumer = gpiod_line_info_get_consumer(info);
        snprintf(user, size, "%s", consumer ? consumer : "?");
    }
    gpiod_line_info_free(info);
}

static enum gpiod_line_bias bias_of(const struct cgpiod_line *line) {
    switch (line->bias) {
    case CGPIOD_BIAS_PULL_UP: return GPIOD_LINE_BIAS_PULL_UP;
    case CGPIOD_BIAS_PULL_DOWN: return GPIOD_LINE_BIAS_PULL_DOWN;
    default: return GPIOD_LINE_BIAS_AS_IS;
    }
}

// Sets how the line is configured; 0, or -1 with errno set.
static int configure(struct gpiod_line_config *config, struct gpiod_line_settings *settings,
                     const struct cgpiod_line *line, unsigned offset) {
    int failed = 0;
    gpiod_line_settings_reset(settings);
    gpiod_line_settings_set_active_low(settings, line->is_active_low != 0);
    failed |= gpiod_line_settings_set_bias(settings, bias_of(line));
    if (line->is_output) {
        failed |= gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
        failed |= gpiod_line_settings_set_output_value(settings, GPIOD_LINE_VALUE_INACTIVE);
    } else {
        failed |= gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
        failed |= gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
        failed |= gpiod_line_settings_set_event_clock(settings, GPIOD_LINE_CLOCK_MONOTONIC);
    }
    if (failed) return -1;
    return gpiod_line_config_add_line_settings(config, &offset, 1, settings);
}

static struct gpiod_line_request *request_all(struct cgpiod_lines *lines, const char *consumer,
                                              const struct cgpiod_line *wanted) {
    struct gpiod_line_request *request = NULL;
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    struct gpiod_line_config *config = gpiod_line_config_new();
    struct gpiod_request_config *options = gpiod_request_config_new();
    int is_ready = settings && config && options;
    for (int index = 0; is_ready && index < lines->count; index++) {
        is_ready = configure(config, settings, &wanted[index], lines->offsets[index]) == 0;
    }
    if (is_ready) {
        gpiod_request_config_set_consumer(options, consumer);
        request = gpiod_chip_request_lines(lines->chip, options, config);
    }
    int code = errno;
    if (options) gpiod_request_config_free(options);
    if (config) gpiod_line_config_free(config);
    if (settings) gpiod_line_settings_free(settings);
    errno = code;
    return request;
}

struct cgpiod_lines *cgpiod_request(struct gpiod_chip *chip, const char *consumer,
                                    const struct cgpiod_line *wanted, const int *offsets,
                                    size_t count, struct cgpiod_error *failure) {
    (void)failure;
    struct cgpiod_lines *lines = calloc(1, sizeof *lines);
    if (lines == NULL) return NULL;
    lines->chip = chip;
    lines->count = (int)count;
    for (size_t index = 0; index < count; index++) lines->offsets[index] = (unsigned)offsets[index];
    lines->buffer = gpiod_edge_event_buffer_new(1);
    if (lines->buffer != NULL) lines->request = request_all(lines, consumer, wanted);
    if (lines->request != NULL &&
        ioctl(gpiod_line_request_get_fd(lines->request), FIONBIO, &(int){1}) == 0)
        return lines;
    int code = errno;
    if (lines->request) gpiod_line_request_release(lines->request);
    if (lines->buffer) gpiod_edge_event_buffer_free(lines->buffer);
    free(lines);
    errno = code;
    return NULL;
}

void cgpiod_close(struct cgpiod_lines *lines) {
    gpiod_line_request_release(lines->request);
    gpiod_edge_event_buffer_free(lines->buffer);
    gpiod_chip_close(lines->chip);
    free(lines);
}

int cgpiod_descriptor(const struct cgpiod_lines *lines) {
    return gpiod_line_request_get_fd(lines->request);
}

// The line's index, or -1.
static int index_of(const struct cgpiod_lines *lines, unsigned offset) {
    for (int index = 0; index < lines->count; index++) {
        if (lines->offsets[index] == offset) return index;
    }
    return -1;
}

int cgpiod_next_edge(struct cgpiod_lines *lines, struct cgpiod_edge *edge) {
    while (1) {
        int count = gpiod_line_request_read_edge_events(lines->request, lines->buffer, 1);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno == EAGAIN ? 0 : -1;
        if (count == 0) return 0;
        struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(lines->buffer, 0);
        int index = event ? index_of(lines, gpiod_edge_event_get_line_offset(event)) : -1;
        if (index < 0) continue;
        edge->line = index;
        edge->is_active =
            gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
        edge->time = gpiod_edge_event_get_timestamp_ns(event);
        return 1;
    }
}

int cgpiod_value(struct cgpiod_lines *lines, int32_t line) {
    if (line < 0 || line >= lines->count) return errno = EINVAL, -1;
    return gpiod_line_request_get_value(lines->request, lines->offsets[line]);
}

int cgpiod_set_value(struct cgpiod_lines *lines, int32_t line, int is_active) {
    if (line < 0 || line >= lines->count) return errno = EINVAL, -1;
    return gpiod_line_request_set_value(
        lines->request, lines->offsets[line],
        is_active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
}

#endif
