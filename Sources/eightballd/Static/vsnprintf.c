// vsnprintf for the static program; snprintf calls it. libgpiod and our C code format texts and
// unsigned integers. musl's takes 13 kB for floating point, wide characters and error messages, and
// on aarch64 needs 128-bit arithmetic that no library here has.
//
// It supports %s and %u. For any other format it returns -1 and sets errno to EINVAL. SwiftPM does
// not build this file.
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// The text so far; its length also counts what did not fit.
struct output {
    char *text;
    size_t size;
    size_t length;
};

static void append(struct output *output, const char *bytes, size_t count) {
    for (size_t index = 0; index < count; index++, output->length++) {
        if (output->length + 1 < output->size) output->text[output->length] = bytes[index];
    }
}

static void append_number(struct output *output, unsigned value) {
    char digits[10]; // 2^32 - 1 has 10.
    size_t first = sizeof digits;
    do digits[--first] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    append(output, digits + first, sizeof digits - first);
}

int vsnprintf(char *text, size_t size, const char *format, va_list arguments) {
    struct output output = {.text = text, .size = size};
    for (; *format != '\0'; format++) {
        if (*format != '%') {
            append(&output, format, 1);
            continue;
        }
        format++;
        if (*format == 's') {
            const char *string = va_arg(arguments, const char *);
            append(&output, string, strlen(string));
        } else if (*format == 'u') {
            append_number(&output, va_arg(arguments, unsigned));
        } else {
            errno = EINVAL;
            return -1;
        }
    }
    if (size > 0) text[output.length < size ? output.length : size - 1] = '\0';
    return (int)output.length;
}
