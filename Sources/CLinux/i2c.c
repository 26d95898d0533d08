#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <sys/ioctl.h>
#include <unistd.h>

// The bytes as messages of one transfer: the kernel puts a repeated START condition between them.
static int transfer_messages(int descriptor, uint8_t address, const uint8_t *sent, size_t sent_size,
                             uint8_t *received, size_t received_size) {
    struct i2c_msg messages[2];
    struct i2c_rdwr_ioctl_data call = {.msgs = messages};
    if (sent_size > 0) {
        // The kernel reads it only.
        messages[call.nmsgs++] = (struct i2c_msg){address, 0, sent_size, (uint8_t *)sent};
    }
    if (received_size > 0) {
        messages[call.nmsgs++] = (struct i2c_msg){address, I2C_M_RD, received_size, received};
    }
    return ioctl(descriptor, I2C_RDWR, &call);
}

// The same bytes on the wire by an SMBus controller. Its command is the first byte.
static int transfer_smbus(int descriptor, uint8_t address, const uint8_t *sent, size_t sent_size,
                          uint8_t *received, size_t received_size) {
    union i2c_smbus_data data;
    struct i2c_smbus_ioctl_data call = {.data = &data};
    // How many bytes follow the command or, without a command, the address.
    const size_t size = received_size > 0 ? received_size : sent_size - 1;
    const bool is_possible = received_size == 0 || sent_size == 1 || sent_size + size == 1;
    if (size > I2C_SMBUS_BLOCK_MAX || !is_possible) {
        errno = EMSGSIZE;
        return -1;
    }
    if (sent_size > 0) call.command = sent[0];
    call.size = sent_size > 0 && size > 0 ? I2C_SMBUS_BYTE_DATA : I2C_SMBUS_BYTE;
    uint8_t *bytes = data.block;
    if (size > 1) {
        call.size = I2C_SMBUS_I2C_BLOCK_DATA;
        *bytes++ = size;
    }
    call.read_write = received_size > 0 ? I2C_SMBUS_READ : I2C_SMBUS_WRITE;
    if (received_size == 0) memcpy(bytes, sent + 1, size);
    if (ioctl(descriptor, I2C_SLAVE, (unsigned long)address) < 0 ||
        ioctl(descriptor, I2C_SMBUS, &call) < 0)
        return -1;
    if (size > 1 && data.block[0] < size) {
        errno = EIO;
        return -1;
    }
    memcpy(received, bytes, received_size);
    return 0;
}

int clinux_transfer_i2c(const char *path, int32_t *was_opened, uint8_t address, const uint8_t *sent,
                        size_t sent_size, uint8_t *received, size_t received_size) {
    unsigned long functions;
    int result, descriptor;
    do descriptor = open(path, O_RDWR | O_CLOEXEC);
    while (descriptor < 0 && errno == EINTR);
    *was_opened = descriptor >= 0;
    if (descriptor < 0) return -errno;
    result = ioctl(descriptor, I2C_FUNCS, &functions);
    if (result >= 0) {
        do result = (functions & I2C_FUNC_I2C ? transfer_messages : transfer_smbus)(
               descriptor, address, sent, sent_size, received, received_size);
        while (result < 0 && errno == EINTR);
    }
    if (result < 0) result = -errno;
    else result = 0;
    close(descriptor);
    return result;
}
