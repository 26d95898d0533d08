#define _GNU_SOURCE
#include "CLinuxPort.h"

#include <errno.h>
#include <fcntl.h>
#include <termios.h>
#include <sys/ioctl.h>

// The C library's code of a speed; B0 if it has none.
static speed_t code_of(uint32_t speed) {
    switch (speed) {
    case 9600: return B9600;
    case 19200: return B19200;
    case 38400: return B38400;
    case 57600: return B57600;
    case 115200: return B115200;
    case 230400: return B230400;
    case 460800: return B460800;
    case 500000: return B500000;
    case 576000: return B576000;
    case 921600: return B921600;
    case 1000000: return B1000000;
    case 1152000: return B1152000;
    case 1500000: return B1500000;
    case 2000000: return B2000000;
    case 2500000: return B2500000;
    case 3000000: return B3000000;
    case 3500000: return B3500000;
    case 4000000: return B4000000;
    default: return B0;
    }
}

int clinuxport_open_serial(const char *path) {
    int descriptor;
    do descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    while (descriptor < 0 && errno == EINTR);
    return descriptor < 0 ? -errno : descriptor;
}

int clinuxport_configure_serial(int descriptor, uint32_t speed) {
    struct termios settings;
    speed_t code = code_of(speed);
    if (code == B0) return -EINVAL;
    if (tcgetattr(descriptor, &settings) < 0) return -errno;
    cfmakeraw(&settings);
    settings.c_cflag &= ~(tcflag_t)(CSTOPB | PARENB);
    settings.c_cflag |= CREAD | CLOCAL | CRTSCTS;
    if (cfsetispeed(&settings, code) < 0 || cfsetospeed(&settings, code) < 0) return -errno;
    if (tcsetattr(descriptor, TCSANOW, &settings) < 0) return -errno;
    // A second program on the line would steal bytes from the first. Not every driver can do it.
    ioctl(descriptor, TIOCEXCL, 0);
    // What came before is the end of a packet whose beginning is lost.
    tcflush(descriptor, TCIOFLUSH);
    return 0;
}
