#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cgpiod_version(void) {
    return CGPIOD_VERSION;
}

static int is_chip(const struct dirent *entry) {
    return strncmp(entry->d_name, "gpiochip", 8) == 0;
}

// Asks this chip for the lines. 1 if it is the one that was looked for, granted or not.
static int try_chip(struct gpiod_chip *chip, const char *label, const char *consumer,
                    const struct cgpiod_line *lines, size_t count, struct cgpiod_failure *failure,
                    struct cgpiod_lines **granted) {
    int offsets[CGPIOD_MOST_LINES];

    if (!cgpiod_has_label(chip, label)) return 0;
    failure->step = CGPIOD_STEP_FIND_LINE;
    for (size_t index = 0; index < count; index++) {
        offsets[index] = cgpiod_find_line(chip, &lines[index], label == NULL);
        if (offsets[index] < 0) {
            if (label == NULL) return 0;
            failure->code = ENOENT;
            failure->line = (int32_t)index;
            return 1;
        }
    }
    failure->step = CGPIOD_STEP_REQUEST_LINE;
    *granted = cgpiod_request(chip, consumer, lines, offsets, count, failure);
    if (*granted != NULL) return 1;
    failure->code = errno;
    // One request for all lines does not say which of them is in use.
    for (size_t index = 0; failure->code == EBUSY && index < count; index++) {
        cgpiod_find_user(chip, offsets[index], failure->user, sizeof failure->user);
        if (failure->user[0] == '\0') continue;
        failure->line = (int32_t)index;
        break;
    }
    return 1;
}

struct cgpiod_lines *cgpiod_open(const char *directory, const char *label, const char *consumer,
                                 const struct cgpiod_line *lines, size_t count,
                                 struct cgpiod_failure *failure) {
    struct cgpiod_lines *granted = NULL;
    struct dirent **entries = NULL;
    int refusal = 0;
    char refused[sizeof failure->chip] = "";

    *failure = (struct cgpiod_failure){.code = ENODEV, .line = -1};
    if (count == 0 || count > CGPIOD_MOST_LINES) {
        failure->code = EINVAL;
        failure->step = CGPIOD_STEP_OTHER;
        return NULL;
    }
    int entry_count = scandir(directory, &entries, is_chip, versionsort);
    int is_found = 0;
    for (int index = 0; index < entry_count && !is_found; index++) {
        int length = snprintf(failure->chip, sizeof failure->chip, "%s/%s", directory,
                              entries[index]->d_name);
        if (length < 0 || (size_t)length >= sizeof failure->chip) continue;
        struct gpiod_chip *chip = gpiod_chip_open(failure->chip);
        if (chip == NULL) {
            // Perhaps it is another that is looked for; if not, this is why.
            if (errno == EACCES || errno == EPERM) {
                refusal = errno;
                memcpy(refused, failure->chip, sizeof refused);
            }
            continue;
        }
        is_found = try_chip(chip, label, consumer, lines, count, failure, &granted);
        if (granted == NULL) gpiod_chip_close(chip);
    }
    for (int index = 0; index < entry_count; index++) free(entries[index]);
    free(entries);
    if (is_found) return granted;

    failure->step = refusal ? CGPIOD_STEP_OPEN_CHIP : CGPIOD_STEP_FIND_CHIP;
    failure->code = refusal ? refusal : ENODEV;
    memcpy(failure->chip, refused, sizeof failure->chip);
    return NULL;
}
