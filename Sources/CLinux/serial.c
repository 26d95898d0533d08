#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <fcntl.h>
#include <asm/termbits.h>
#include <sys/ioctl.h>

#ifndef TCGETS2
#include <asm/ioctls.h>
#endif

int clinux_open_serial(const char *path) {
    int descriptor;
    do descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    while (descriptor < 0 && errno == EINTR);
    return descriptor < 0 ? -errno : descriptor;
}

// The kernel's own settings, because they take a speed as a number: ioctl_tty(2). With BOTHER both
// directions have the speed c_ospeed where the bits of CIBAUD are 0.
int clinux_configure_serial(int descriptor, uint32_t speed) {
    struct termios2 settings;
    if (ioctl(descriptor, TCGETS2, &settings) < 0) return -errno;
    settings.c_iflag &= ~(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
    settings.c_oflag &= ~OPOST;
    settings.c_lflag &= ~(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    settings.c_cflag &= ~(CBAUD | CIBAUD | CSIZE | CSTOPB | PARENB);
    settings.c_cflag |= BOTHER | CS8 | CREAD | CLOCAL | CRTSCTS;
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    settings.c_ispeed = settings.c_ospeed = speed;
    if (ioctl(descriptor, TCSETS2, &settings) < 0) return -errno;
    // A second program on the line would steal bytes. Not every driver supports it.
    ioctl(descriptor, TIOCEXCL, 0);
    // Earlier bytes are the end of a packet whose beginning is lost.
    ioctl(descriptor, TCFLSH, TCIOFLUSH);
    return 0;
}
