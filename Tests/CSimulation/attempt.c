#define _GNU_SOURCE
#include "CSimulation.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int simulation_known_fault = 0;

void simulation_set_known_fault(int number) { simulation_known_fault = number; }

volatile uint64_t *simulation_progress(void) {
    static uint64_t *number;
    if (!number) {
        void *page = mmap(NULL, sizeof *number, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED) _exit(71);
        number = page;
    }
    return number;
}

int simulation_attempt(int (*body)(void *), void *context, unsigned seconds) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        // A signal that ends the process if it hangs.
        alarm(seconds);
        _exit(body(context));
    }
    if (child < 0 || waitpid(child, &status, 0) != child) _exit(71);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
