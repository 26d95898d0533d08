// Tests the program's strerror, compiled as small_strerror: each error that the program explains has a text, and any
// other gives its number.

#include <errno.h>
#include <stdio.h>
#include <string.h>

char *small_strerror(int number);

static int faults;

static void expect(int number, const char *text)
{
    const char *found = small_strerror(number);
    if (strcmp(found, text) == 0)
        return;
    printf("%d: \"%s\", not \"%s\"\n", number, found, text);
    faults++;
}

int main(void)
{
    expect(EPERM, "Operation not permitted");
    expect(ENOENT, "No such file or directory");
    expect(EACCES, "Permission denied");
    expect(EBUSY, "Resource busy");
    expect(ENOSPC, "No space left on device");
    expect(ENAMETOOLONG, "Filename too long");
    expect(EADDRINUSE, "Address in use");
    expect(ECONNREFUSED, "Connection refused");
    expect(ETIMEDOUT, "Operation timed out");
    expect(ECANCELED, "Operation canceled");
    expect(0, "error 000");
    expect(EKEYREJECTED, "error 129");
    expect(999, "error 999");
    return faults != 0;
}
