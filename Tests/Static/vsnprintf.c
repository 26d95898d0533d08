// Compares the vsnprintf of Sources/eightballd/Static with the system's: scripts/check eightballd compiles it
// with the name small_vsnprintf.
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int small_vsnprintf(char *text, size_t size, const char *format, va_list arguments);

static int failures;

static int small(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int result = small_vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return result;
}

// One format with buffers of 1, 8 and 64 bytes.
#define SAME(...)                                                                             \
    for (size_t size = 1; size <= 64; size *= 8) {                                            \
        char expected[65] = "untouched", actual[65] = "untouched";                            \
        int wanted = snprintf(expected, size, __VA_ARGS__);                                   \
        int given = small(actual, size, __VA_ARGS__);                                         \
        if (wanted == given && strcmp(expected, actual) == 0) continue;                       \
        failures++;                                                                           \
        printf("%s: expected %d '%s', got %d '%s'\n", #__VA_ARGS__, wanted, expected, given, actual); \
    }

// A format that it refuses.
static void refuses(const char *format) {
    char text[8];
    errno = 0;
    if (small(text, sizeof text, format, 1) == -1 && errno == EINVAL) return;
    failures++;
    printf("%s is not refused\n", format);
}

int main(void) {
    SAME("%s", "");
    SAME("/dev/%s", "gpiochip0");
    SAME("/sys/dev/char/%u:%u/subsystem", 254u, 0u);
    SAME("%s/%s", "/dev", "gpiochip0");
    SAME("%u %u %u", 0u, 9u, UINT_MAX);
    if (small(NULL, 0, "%s", "four") != 4) failures++, puts("no space: the length is not 4");
    refuses("%f");
    refuses("%d");
    refuses("%lu");
    refuses("%%");
    refuses("%5d");
    refuses("%ls");
    refuses("%l");
    refuses("%");
    return failures != 0;
}
