// Compares the realpath of Sources/eightballd/Static with the system's: scripts/check eightballd compiles it
// with the name small_realpath.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *small_realpath(const char *restrict path, char *restrict resolved);

static int failures;

static void same(const char *path) {
    char wanted[PATH_MAX] = "none", given[PATH_MAX] = "none";
    errno = 0;
    int wanted_code = realpath(path, wanted) == NULL ? errno : 0;
    errno = 0;
    char *mine = small_realpath(path, NULL);
    int given_code = mine == NULL ? errno : 0;
    if (wanted_code == given_code && (mine == NULL || strcmp(mine, wanted) == 0) &&
        (mine == NULL || (small_realpath(path, given) == given && strcmp(given, wanted) == 0))) {
        free(mine);
        return;
    }
    failures++;
    printf("%s: expected %d '%s', got %d '%s'\n", path, wanted_code, wanted, given_code, mine);
}

// The folder of the argument is empty.
int main(int count, char **arguments) {
    if (count != 2 || chdir(arguments[1]) != 0 || symlink("/dev/../dev/null", "link") != 0 ||
        symlink("link", "second") != 0 || symlink("nothing", "broken") != 0 ||
        symlink("loop", "loop") != 0) {
        puts("expected an empty folder");
        return 1;
    }
    same("/");
    same(".");
    same("/dev/null");
    same("link");
    same("./second");
    same("/proc/self/..");
    same("broken");
    same("loop");
    same("link/x");
    same("");
    for (int turn = 0; turn < 2000; turn++) free(small_realpath("link", NULL));
    same("link");
    return failures != 0;
}
