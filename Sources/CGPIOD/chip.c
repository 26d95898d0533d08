#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int cgpiod_version(void) {
    return CGPIOD_VERSION;
}

// Replaces `name` by the next chip of the directory in versionsort's order; 0 if there is none.
// scandir sorts them all, and takes 2 kB of a static program.
static int next_chip(const char *directory, char *name, size_t size) {
    struct dirent *entry;
    char next[sizeof entry->d_name] = "";
    DIR *entries = opendir(directory);
    if (entries == NULL) return 0;
    while ((entry = readdir(entries)) != NULL) {
        if (strncmp(entry->d_name, "gpiochip", 8) != 0) continue;
        if (strverscmp(entry->d_name, name) <= 0) continue;
        if (next[0] != '\0' && strverscmp(entry->d_name, next) >= 0) continue;
        snprintf(next, sizeof next, "%s", entry->d_name);
    }
    closedir(entries);
    snprintf(name, size, "%s", next);
    return name[0] != '\0';
}

// The input and output of cgpiod_open and cgpiod_survey.
struct search {
    const char *label;
    const char *consumer;
    const struct cgpiod_line *lines;
    size_t count;
    struct cgpiod_error *failure;
    struct cgpiod_line_state *states;
    struct cgpiod_lines *granted;
};

// Is called for each chip: 1 if it is the wanted one.
typedef int (*try_chip)(struct gpiod_chip *chip, struct search *search);

// Requests the lines from this chip.
static int request_lines(struct gpiod_chip *chip, struct search *search) {
    struct cgpiod_error *failure = search->failure;
    int offsets[CGPIOD_MOST_LINES];

    if (!cgpiod_has_label(chip, search->label)) return 0;
    failure->step = CGPIOD_STEP_FIND_LINE;
    for (size_t index = 0; index < search->count; index++) {
        offsets[index] = cgpiod_find_line(chip, &search->lines[index], search->label == NULL);
        if (offsets[index] < 0) {
            if (search->label == NULL) return 0;
            failure->code = ENOENT;
            failure->line = (int32_t)index;
            return 1;
        }
    }
    failure->step = CGPIOD_STEP_REQUEST_LINE;
    search->granted =
        cgpiod_request(chip, search->consumer, search->lines, offsets, search->count, failure);
    if (search->granted != NULL) return 1;
    failure->code = errno;
    // A request for all lines does not say which of them is in use.
    for (size_t index = 0; failure->code == EBUSY && index < search->count; index++) {
        cgpiod_find_user(chip, offsets[index], failure->user, sizeof failure->user);
        if (failure->user[0] == '\0') continue;
        failure->line = (int32_t)index;
        break;
    }
    return 1;
}

// Reads the state of the lines of this chip.
static int look_at_lines(struct gpiod_chip *chip, struct search *search) {
    if (!cgpiod_has_label(chip, search->label)) return 0;
    for (size_t index = 0; index < search->count; index++) {
        struct cgpiod_line_state *state = &search->states[index];
        state->offset = cgpiod_find_line(chip, &search->lines[index], 0);
        state->user[0] = '\0';
        if (state->offset >= 0)
            cgpiod_find_user(chip, state->offset, state->user, sizeof state->user);
    }
    return 1;
}

// Tries the chips of the directory in order until one fits: 1, or 0 with the failure filled in.
static int find_chip(const char *directory, struct search *search, try_chip try) {
    struct cgpiod_error *failure = search->failure;
    char name[256] = "";
    int refusal = 0;
    char refused[sizeof failure->chip] = "";

    *failure = (struct cgpiod_error){.code = ENODEV, .line = -1};
    if (search->count == 0 || search->count > CGPIOD_MOST_LINES) {
        failure->code = EINVAL;
        failure->step = CGPIOD_STEP_OTHER;
        return 0;
    }
    int is_found = 0;
    while (!is_found && next_chip(directory, name, sizeof name)) {
        int length =
            snprintf(failure->chip, sizeof failure->chip, "%s/%s", directory, name);
        if (length < 0 || (size_t)length >= sizeof failure->chip) continue;
        struct gpiod_chip *chip = gpiod_chip_open(failure->chip);
        if (chip == NULL) {
            // Another chip may be the wanted one; if not, this is why.
            if (errno == EACCES || errno == EPERM) {
                refusal = errno;
                memcpy(refused, failure->chip, sizeof refused);
            }
            continue;
        }
        is_found = try(chip, search);
        if (search->granted == NULL) gpiod_chip_close(chip);
    }
    if (is_found) return 1;

    failure->step = refusal ? CGPIOD_STEP_OPEN_CHIP : CGPIOD_STEP_FIND_CHIP;
    failure->code = refusal ? refusal : ENODEV;
    memcpy(failure->chip, refused, sizeof failure->chip);
    return 0;
}

struct cgpiod_lines *cgpiod_open(const char *directory, const char *label, const char *consumer,
                                 const struct cgpiod_line *lines, size_t count,
                                 struct cgpiod_error *failure) {
    struct search search = {.label = label, .consumer = consumer, .lines = lines,
                            .count = count, .failure = failure};
    find_chip(directory, &search, request_lines);
    return search.granted;
}

int cgpiod_survey(const char *directory, const char *label, const struct cgpiod_line *lines,
                  size_t count, struct cgpiod_line_state *states, struct cgpiod_error *failure) {
    struct search search = {.label = label, .lines = lines, .count = count, .failure = failure,
                            .states = states};
    return find_chip(directory, &search, look_at_lines) ? 0 : -1;
}
