// Requests a line of a missing chip through libgpiod: shows that the shim fits the version of its
// build, and returns failures correctly.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CGPIOD.h"

int main(int count, char **arguments) {
    struct cgpiod_line line = {.name = "GPIO5", .offset = 5, .bias = CGPIOD_BIAS_PULL_UP};
    struct cgpiod_error failure;

    if (count != 3 || atoi(arguments[1]) != cgpiod_version()) {
        fprintf(stderr, "This is libgpiod %d.\n", cgpiod_version());
        return 1;
    }
    struct cgpiod_lines *lines =
        cgpiod_open(arguments[2], "no-such-chip", "probe", &line, 1, &failure);
    if (lines != NULL || failure.step != CGPIOD_STEP_FIND_CHIP || failure.code != ENODEV) {
        fprintf(stderr, "There should be no chip: %s\n", strerror(failure.code));
        return 1;
    }
    struct cgpiod_line_state state;
    if (cgpiod_survey(arguments[2], "no-such-chip", &line, 1, &state, &failure) == 0 ||
        failure.step != CGPIOD_STEP_FIND_CHIP || failure.code != ENODEV) {
        fprintf(stderr, "There should be no chip to look at: %s\n", strerror(failure.code));
        return 1;
    }
    printf("libgpiod %d: builds, links, and finds no chip where there is none.\n",
           cgpiod_version());
    return 0;
}
