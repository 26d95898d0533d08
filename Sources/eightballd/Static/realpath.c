// realpath for the static program; musl's takes 1.3 kB. libgpiod calls it for links of /sys, and
// the kernel gives the target in /proc/self/fd. SwiftPM does not build this file.
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *realpath(const char *restrict path, char *restrict resolved) {
    char link[32];
    char target[PATH_MAX];
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0) return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%u", (unsigned)descriptor);
    ssize_t length = readlink(link, target, sizeof target - 1);
    close(descriptor);
    if (length < 0) return NULL;
    target[length] = '\0';
    return resolved == NULL ? strdup(target) : strcpy(resolved, target);
}
