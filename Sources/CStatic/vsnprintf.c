// vsnprintf for the static program in place of musl's: snprintf and asprintf call it. libgpiod and our
// C format text and integers; musl's code for floating point, wide characters and error messages takes
// 13 kB, and on aarch64 arithmetic of 128 bits that no library here has.
//
// It takes %s, %c, %%, and %d, %u, %x with l, ll or z or without. For any other format it returns -1 and
// sets errno to EINVAL. SwiftPM does not build this file.
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// The text so far; its length goes on counting where the space ends.
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

static void append_number(struct output *output, unsigned long long value, unsigned base) {
    char digits[20]; // 2^64 - 1 has 20 in base 10.
    size_t first = sizeof digits;
    do digits[--first] = "0123456789abcdef"[value % base];
    while ((value /= base) != 0);
    append(output, digits + first, sizeof digits - first);
}

// The length modifiers; 'L' is "ll", and 0 is none.
static char take_length(const char **format) {
    char length = **format;
    if (length != 'l' && length != 'z') return 0;
    (*format)++;
    if (length == 'z' || **format != 'l') return length;
    (*format)++;
    return 'L';
}

int vsnprintf(char *text, size_t size, const char *format, va_list arguments) {
    struct output output = {.text = text, .size = size};
    while (*format != '\0') {
        if (*format != '%') {
            append(&output, format++, 1);
            continue;
        }
        format++;
        char length = take_length(&format);
        char conversion = *format++;
        if (conversion == 'd') {
            long long value = length == 'L'   ? va_arg(arguments, long long)
                              : length == 'l' ? va_arg(arguments, long)
                              : length == 'z' ? va_arg(arguments, ptrdiff_t)
                                              : va_arg(arguments, int);
            if (value < 0) append(&output, "-", 1);
            append_number(&output, value < 0 ? -(unsigned long long)value : (unsigned long long)value, 10);
        } else if (conversion == 'u' || conversion == 'x') {
            unsigned long long value = length == 'L'   ? va_arg(arguments, unsigned long long)
                                       : length == 'l' ? va_arg(arguments, unsigned long)
                                       : length == 'z' ? va_arg(arguments, size_t)
                                                       : va_arg(arguments, unsigned);
            append_number(&output, value, conversion == 'x' ? 16 : 10);
        } else if (conversion == 's' && length == 0) {
            const char *string = va_arg(arguments, const char *);
            append(&output, string, strlen(string));
        } else if (conversion == 'c' && length == 0) {
            append(&output, &(char){(char)va_arg(arguments, int)}, 1);
        } else if (conversion == '%' && length == 0) {
            append(&output, "%", 1);
        } else {
            errno = EINVAL;
            return -1;
        }
    }
    if (size > 0) text[output.length < size ? output.length : size - 1] = '\0';
    return (int)output.length;
}
