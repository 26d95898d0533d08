// A Bluetooth controller and a central behind it, over H4 on a UNIX socket: what scripts/benchmark ball
// asks whole programs with.
#pragma once

#include <stddef.h>
#include <stdint.h>

// A program under test, connected as a host is.
struct ball {
    int socket;
    // What has been read and not yet been taken.
    uint8_t bytes[8192];
    size_t filled;
    int is_advertising;
    // The handles of the two characteristics' values.
    uint16_t question, answer;
};

// The next whole packet of the host, which stays until the next call. Ends the program if there is none
// within 60 s.
const uint8_t *next_packet(struct ball *ball);

// Answers commands until the ball advertises; then a central connects, finds Question and Answer, and
// subscribes.
void meet(struct ball *ball);

// Asks one question of 40 bytes, and waits for its Write Response and its notification.
void ask(struct ball *ball);

// Answers the last commands of a ball that ends, until it has closed the connection.
void part(struct ball *ball);

// Ends the program with a message.
_Noreturn void fail(const char *what);
