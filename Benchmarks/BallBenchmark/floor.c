// The floor of scripts/benchmark ball: a "host" that makes only the system calls of an ask.
//
//   floor SOCKET
//
// It waits, reads once, and writes the Write Response and the notification as they are, one write each,
// as a host does that sends packet by packet. It reads only the first bytes.
#define _GNU_SOURCE
#include "controller.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int controller;

static void send_bytes(const void *bytes, size_t count) {
    if (write(controller, bytes, count) != (ssize_t)count) exit(1);
}

static void send_pdu(const uint8_t *pdu, uint8_t count) {
    uint8_t packet[64] = {2, 0x40, 0, (uint8_t)(count + 4), 0, count, 0, 4, 0};
    memcpy(packet + 9, pdu, count);
    send_bytes(packet, 9u + count);
}

int main(int count, char **words) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count != 2 || strlen(words[1]) >= sizeof address.sun_path) return 64;
    strcpy(address.sun_path, words[1]);
    controller = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(controller, (struct sockaddr *)&address, sizeof address) != 0) return 69;
    int queue = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(queue, EPOLL_CTL_ADD, controller, &event);

    static const uint8_t characteristics[44] = {
        0x09, 21, 0x02, 0, 0x08, 0x03, 0, 0x77, 0x5A, 0x23, 0xFD, 0x29, 0xFE, 0x9C, 0xA4,
        0xB9, 0x47, 0x6A, 0xF6, 0x7A, 0x7D, 0xD3, 0xBD, 0x04, 0, 0x12, 0x05, 0, 0x45, 0x74,
        0x73, 0x8D, 0x07, 0xAF, 0x95, 0xA0, 0x2C, 0x4E, 0x15, 0x62, 0x7B, 0x0D, 0x9A, 0x34};
    static const uint8_t response[10] = {2, 0x40, 0, 5, 0, 1, 0, 4, 0, 0x13};
    static const uint8_t notification[] =
        "\2\x40\0\x1B\0\x17\0\4\0\x1B\5\0It is decidedly so..";
    uint8_t bytes[4096];
    // Reset.
    send_bytes("\1\3\x0C\0", 4);
    for (;;) {
        epoll_wait(queue, &event, 1, -1);
        ssize_t length = read(controller, bytes, sizeof bytes);
        if (length <= 0) return 0;
        const uint8_t *packet = bytes;
        // After the Reset, LE Set Advertising Enable.
        if (packet[0] == 4 && packet[1] == 0x0E && packet[4] == 3) send_bytes("\1\x0A\x20\1\1", 5);
        while (packet < bytes + length && packet[0] == 4) packet += 3 + packet[2];
        if (packet >= bytes + length) continue;
        switch (packet[9]) {
        case 0x12:
            if (packet[3] < 20) {
                send_pdu((uint8_t[]){0x13}, 1);
            } else {
                send_bytes(response, sizeof response);
                send_bytes(notification, sizeof notification - 1);
            }
            break;
        case 0x02: send_pdu((uint8_t[]){0x03, 5, 2}, 3); break;
        case 0x08:
            if (packet[10] == 1) send_pdu(characteristics, sizeof characteristics);
            else send_pdu((uint8_t[]){0x01, 0x08, 0, 0, 0x0A}, 5);
            break;
        default: send_pdu((uint8_t[]){0x01, packet[9], 0, 0, 6}, 5);
        }
    }
}
