// Asks balls questions, and says how many each answers in a second:
//
//   client [-n ASKS] [-r ROUNDS] [-c CPU] -- COMMAND... [-- COMMAND...]...
//
// Each COMMAND is a program with a ball; "{}" in its words becomes the path of a socket on which this
// program plays the controller. All are asked in turn, ROUNDS times ASKS questions each. With a CPU, this
// program and the others share it. A line for each: asks a second (the median of the rounds), the same
// as a ratio to the first program's (the median of the ratios within a round), resident kB, and the
// microseconds from the start to the first command.
//
//   client -s RUNS [-c CPU] -- COMMAND...
//
// Starts /bin/true and the COMMAND by turns, and says how many microseconds each takes, to its end and
// to its first command (medians), and the ratio.
#define _GNU_SOURCE
#include "controller.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PROGRAMS = 8, MOST_ROUNDS = 99 };

struct program {
    char **words;
    pid_t process;
    struct ball ball;
    double rates[MOST_ROUNDS], ratios[MOST_ROUNDS];
    double start;
    long resident;
};

static double microseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(const double *values, int count) {
    double sorted[MOST_ROUNDS];
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, by_size);
    return sorted[count / 2];
}

static void start(struct program *program) {
    static int number;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/8ball-client.%d.%d", getpid(), number++);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0)
        fail("Cannot listen on a UNIX socket.");
    for (char **word = program->words; *word != NULL; word++) {
        char *mark = strstr(*word, "{}"), *full;
        if (mark == NULL) continue;
        if (asprintf(&full, "%.*s%s%s", (int)(mark - *word), *word, address.sun_path, mark + 2) < 0)
            fail("Out of memory.");
        *word = full;
    }
    program->start = microseconds();
    program->process = fork();
    if (program->process == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        execvp(program->words[0], program->words);
        fail(program->words[0]);
    }
    struct pollfd wait = {.fd = listener, .events = POLLIN};
    // A large program takes minutes to start under valgrind.
    if (poll(&wait, 1, 600000) != 1) fail("The program has not connected within 600 s.");
    program->ball.socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    close(listener);
    wait = (struct pollfd){.fd = program->ball.socket, .events = POLLIN};
    if (poll(&wait, 1, 60000) != 1) fail("The ball has sent nothing within 60 s.");
    // The ball has checked the socket's owner.
    unlink(address.sun_path);
    program->start = microseconds() - program->start;
}

static void end(struct program *program) {
    kill(program->process, SIGTERM);
    part(&program->ball);
    close(program->ball.socket);
    waitpid(program->process, NULL, 0);
}

// How long /bin/true takes, in microseconds.
static double time_true(void) {
    double begin = microseconds();
    pid_t process = fork();
    if (process == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(127);
    }
    int status;
    waitpid(process, &status, 0);
    if (status != 0) fail("/bin/true failed.");
    return microseconds() - begin;
}

static void compare_starts(char **words, int runs) {
    double others[MOST_ROUNDS], balls[MOST_ROUNDS];
    for (int run = 0; run < runs; run++) {
        // start() puts the socket's path into the words.
        char *copies[32] = {NULL};
        for (int index = 0; words[index] != NULL && index < 31; index++) copies[index] = words[index];
        struct program program = {.words = copies};
        others[run] = time_true();
        start(&program);
        balls[run] = program.start;
        // The measured part is over.
        kill(program.process, SIGKILL);
        close(program.ball.socket);
        waitpid(program.process, NULL, 0);
    }
    double other = median(others, runs), ball = median(balls, runs);
    printf("%.0f %.0f %.2f\n", other, ball, ball / other);
}

static long resident_kilobytes(pid_t process) {
    char path[64], line[256];
    long sum = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", process);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "Rss:", 4) == 0) sum = atol(line + 4);
    }
    if (file != NULL) fclose(file);
    return sum;
}

static double rate(struct program *program, int asks) {
    double begin = microseconds();
    for (int number = 0; number < asks; number++) ask(&program->ball);
    return asks * 1e6 / (microseconds() - begin);
}

int main(int count, char **words) {
    static struct program programs[MOST_PROGRAMS];
    int program_count = 0, asks = 2000, rounds = 11, starts = 0, option;
    while ((option = getopt(count, words, "+n:r:s:c:")) != -1) {
        cpu_set_t cpus;
        switch (option) {
        case 'n': asks = atoi(optarg); break;
        case 'r': rounds = atoi(optarg); break;
        case 's': starts = atoi(optarg); break;
        case 'c':
            CPU_ZERO(&cpus);
            CPU_SET((unsigned)atoi(optarg), &cpus);
            sched_setaffinity(0, sizeof cpus, &cpus);
            break;
        default: return 64;
        }
    }
    for (int index = optind; index < count && program_count < MOST_PROGRAMS; index++) {
        programs[program_count++].words = words + index;
        while (index < count && strcmp(words[index], "--") != 0) index++;
        if (index < count) words[index] = NULL;
    }
    if (program_count == 0 || rounds < 1 || rounds > MOST_ROUNDS || starts > MOST_ROUNDS) return 64;
    if (starts > 0) return compare_starts(programs[0].words, starts), 0;

    for (int index = 0; index < program_count; index++) {
        start(&programs[index]);
        meet(&programs[index].ball);
    }
    for (int round = 0; round < rounds; round++) {
        for (int index = 0; index < program_count; index++) {
            struct program *program = &programs[index];
            program->rates[round] = rate(program, asks);
            program->ratios[round] = program->rates[round] / programs[0].rates[round];
        }
    }
    for (int index = 0; index < program_count; index++) {
        struct program *program = &programs[index];
        program->resident = resident_kilobytes(program->process);
        end(program);
        printf("%.0f %.3f %ld %.0f\n", median(program->rates, rounds), median(program->ratios, rounds),
               program->resident, program->start);
    }
    return 0;
}
