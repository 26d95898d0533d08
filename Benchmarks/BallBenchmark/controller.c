#include "controller.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// H4's types, and how long their headers are: Core Specification, Vol 4, Part A, 2; Part E, 5.4.
enum { COMMAND = 1, ACL = 2, EVENT = 4 };
// ATT's opcodes: Vol 3, Part F, 3.4.8.
enum {
    MTU_REQUEST = 0x02, MTU_RESPONSE = 0x03, READ_BY_TYPE = 0x08, READ_BY_TYPE_RESPONSE = 0x09,
    WRITE = 0x12, WRITE_RESPONSE = 0x13, NOTIFICATION = 0x1B,
};
enum { LINK = 0x40 };

// docs/gatt-profile.md, the least significant byte first.
static const uint8_t question_type[16] = {0x77, 0x5A, 0x23, 0xFD, 0x29, 0xFE, 0x9C, 0xA4,
                                          0xB9, 0x47, 0x6A, 0xF6, 0x7A, 0x7D, 0xD3, 0xBD};
static const uint8_t answer_type[16] = {0x45, 0x74, 0x73, 0x8D, 0x07, 0xAF, 0x95, 0xA0,
                                        0x2C, 0x4E, 0x15, 0x62, 0x7B, 0x0D, 0x9A, 0x34};

void fail(const char *what) {
    fprintf(stderr, "client: %s (%s)\n", what, strerror(errno));
    exit(1);
}

static unsigned number_at(const uint8_t *bytes) { return bytes[0] | (unsigned)bytes[1] << 8; }

static void send_all(struct ball *ball, const void *bytes, size_t count) {
    if (send(ball->socket, bytes, count, MSG_NOSIGNAL) != (ssize_t)count) fail("The ball takes nothing.");
}

// The length of the packet that begins the bytes; 0 if its header is not whole.
static size_t packet_length(const struct ball *ball) {
    if (ball->filled < 5) return ball->filled == 4 && ball->bytes[0] == COMMAND && ball->bytes[3] == 0 ? 4 : 0;
    switch (ball->bytes[0]) {
    case COMMAND: return 4u + ball->bytes[3];
    case ACL: return 5u + number_at(ball->bytes + 3);
    default: fail("The ball does not speak H4.");
    }
}

// Whether there is something to read within so many milliseconds.
static int is_readable(struct ball *ball, int milliseconds) {
    struct pollfd wait = {.fd = ball->socket, .events = POLLIN};
    return ball->filled > 0 || poll(&wait, 1, milliseconds) > 0;
}

// NULL if the ball has closed the connection.
static const uint8_t *next_packet_or_end(struct ball *ball) {
    static uint8_t packet[8192];
    for (;;) {
        size_t length = packet_length(ball);
        if (length > 0 && length <= ball->filled) {
            memcpy(packet, ball->bytes, length);
            ball->filled -= length;
            memmove(ball->bytes, ball->bytes + length, ball->filled);
            return packet;
        }
        struct pollfd wait = {.fd = ball->socket, .events = POLLIN};
        if (poll(&wait, 1, 60000) != 1) fail("The ball says nothing.");
        ssize_t count = recv(ball->socket, ball->bytes + ball->filled, sizeof ball->bytes - ball->filled, 0);
        if (count <= 0) return NULL;
        ball->filled += (size_t)count;
    }
}

const uint8_t *next_packet(struct ball *ball) {
    const uint8_t *packet = next_packet_or_end(ball);
    if (packet == NULL) fail("The ball has gone.");
    return packet;
}

// Command Complete, with what follows the status.
static void complete(struct ball *ball, unsigned opcode, const void *result, size_t count) {
    uint8_t event[80] = {EVENT, 0x0E, (uint8_t)(4 + count), 1, (uint8_t)opcode, (uint8_t)(opcode >> 8), 0};
    memcpy(event + 7, result, count);
    send_all(ball, event, 7 + count);
}

static void answer_command(struct ball *ball, const uint8_t *command) {
    unsigned opcode = number_at(command + 1);
    switch (opcode) {
    case 0x1009: return complete(ball, opcode, "\x0A\0\0\0\0\xF0", 6);  // Read BD_ADDR
    case 0x2002: return complete(ball, opcode, "\xFB\0\x08", 3);        // LE Read Buffer Size: 8 of 251
    case 0x2003: return complete(ball, opcode, "\0\0\0\0\0\0\0\0", 8);  // LE Read Local Supported Features
    case 0x200A: ball->is_advertising = command[4]; break;              // LE Set Advertising Enable
    case 0x0406: {                                                      // Disconnect
        uint8_t events[14] = {EVENT, 0x0F, 4, 0, 1, 0x06, 0x04, EVENT, 5, 4, 0, LINK, 0, 0x16};
        return send_all(ball, events, sizeof events);
    }
    }
    complete(ball, opcode, "", 0);
}

// Number Of Completed Packets.
static void credit(struct ball *ball, uint8_t count) {
    uint8_t event[8] = {EVENT, 0x13, 5, 1, LINK, 0, count, 0};
    send_all(ball, event, sizeof event);
}

static void send_pdu(struct ball *ball, const uint8_t *pdu, size_t count) {
    uint8_t packet[600] = {ACL, LINK, 0x20, (uint8_t)(count + 4), (uint8_t)((count + 4) >> 8),
                           (uint8_t)count, (uint8_t)(count >> 8), 4, 0};
    memcpy(packet + 9, pdu, count);
    send_all(ball, packet, 9 + count);
}

// The next ATT PDU, whose length is that of the L2CAP frame before it; commands are answered on the way.
static const uint8_t *next_pdu(struct ball *ball, unsigned *length) {
    for (;;) {
        const uint8_t *packet = next_packet(ball);
        if (packet[0] == COMMAND) {
            answer_command(ball, packet);
        } else if (number_at(packet + 7) == 4) {
            *length = number_at(packet + 5);
            return packet + 9;
        } else {
            credit(ball, 1);
        }
    }
}

static const uint8_t *request(struct ball *ball, const uint8_t *pdu, size_t count, unsigned *length) {
    send_pdu(ball, pdu, count);
    for (;;) {
        const uint8_t *response = next_pdu(ball, length);
        uint8_t first = response[0];
        credit(ball, 1);
        if (first == MTU_REQUEST) send_pdu(ball, (uint8_t[]){MTU_RESPONSE, 5, 2}, 3);
        else if (first != NOTIFICATION) return response;
    }
}

static void find_characteristics(struct ball *ball) {
    unsigned first = 1, length;
    while (first < 0xFFFF) {
        uint8_t pdu[7] = {READ_BY_TYPE, (uint8_t)first, (uint8_t)(first >> 8), 0xFF, 0xFF, 0x03, 0x28};
        const uint8_t *response = request(ball, pdu, sizeof pdu, &length);
        if (response[0] != READ_BY_TYPE_RESPONSE) break;
        for (unsigned at = 2; at + response[1] <= length; at += response[1]) {
            const uint8_t *entry = response + at;
            first = number_at(entry) + 1;
            // Handle, properties, value handle, and a UUID of 16 bytes.
            if (response[1] != 21) continue;
            if (memcmp(entry + 5, question_type, 16) == 0) ball->question = (uint16_t)number_at(entry + 3);
            if (memcmp(entry + 5, answer_type, 16) == 0) ball->answer = (uint16_t)number_at(entry + 3);
        }
    }
    if (ball->question == 0 || ball->answer == 0) fail("The ball has no Question or no Answer.");
}

void meet(struct ball *ball) {
    unsigned length;
    while (!ball->is_advertising || is_readable(ball, 50)) answer_command(ball, next_packet(ball));
    // LE Connection Complete: 30 ms, no latency, 4 s.
    uint8_t event[22] = {EVENT, 0x3E, 19, 1, 0, LINK, 0, 1, 0, 2, 0, 0, 0, 0, 0xF0, 24, 0, 0, 0, 0x90, 1, 0};
    send_all(ball, event, sizeof event);
    request(ball, (uint8_t[]){MTU_REQUEST, 5, 2}, 3, &length);
    find_characteristics(ball);
    uint16_t configuration = ball->answer + 1;
    uint8_t pdu[5] = {WRITE, (uint8_t)configuration, (uint8_t)(configuration >> 8), 1, 0};
    if (request(ball, pdu, sizeof pdu, &length)[0] != WRITE_RESPONSE) fail("The ball refuses to notify.");
}

void ask(struct ball *ball) {
    static unsigned number;
    uint8_t pdu[43] = {WRITE, (uint8_t)ball->question, (uint8_t)(ball->question >> 8)};
    memset(pdu + 3, 'a', 40);
    pdu[42] = '?';
    number++;
    for (unsigned digit = 0; digit < 8; digit++) pdu[3 + digit] = 'a' + (number >> 4 * digit & 15);
    send_pdu(ball, pdu, sizeof pdu);
    unsigned length, got = 0;
    while (got != 3) {
        uint8_t opcode = next_pdu(ball, &length)[0];
        if (opcode == WRITE_RESPONSE) got |= 1;
        else if (opcode == NOTIFICATION) got |= 2;
        else fail("The ball answers something else.");
    }
    credit(ball, 2);
}

void part(struct ball *ball) {
    const uint8_t *packet;
    while ((packet = next_packet_or_end(ball)) != NULL) {
        if (packet[0] == COMMAND) answer_command(ball, packet);
    }
}
