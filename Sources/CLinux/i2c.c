#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <sys/ioctl.h>

int clinux_open_i2c(const char *path) {
    int descriptor;
    do descriptor = open(path, O_RDWR | O_CLOEXEC);
    while (descriptor < 0 && errno == EINTR);
    return descriptor < 0 ? -errno : descriptor;
}

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

// The same bytes on the wire by an SMBus controller, whose command is the first byte.
static int transfer_smbus(int descriptor, uint8_t address, const uint8_t *sent, size_t sent_size,
                          uint8_t *received, size_t received_size) {
    union i2c_smbus_data data;
    struct i2c_smbus_ioctl_data call = {.data = &data};
    if (sent_size > 1 + I2C_SMBUS_BLOCK_MAX || received_size > I2C_SMBUS_BLOCK_MAX ||
        (received_size > 0 && sent_size > 1) || (received_size > 1 && sent_size == 0)) {
        errno = EMSGSIZE;
        return -1;
    }
    if (ioctl(descriptor, I2C_SLAVE, (unsigned long)address) < 0) return -1;
    size_t size = received_size;
    if (sent_size > 0) call.command = sent[0];
    if (received_size > 0) {
        call.read_write = I2C_SMBUS_READ;
        call.size = sent_size == 0 ? I2C_SMBUS_BYTE : I2C_SMBUS_BYTE_DATA;
    } else {
        size = sent_size - 1;
        call.read_write = I2C_SMBUS_WRITE;
        call.size = size == 0 ? I2C_SMBUS_BYTE : I2C_SMBUS_BYTE_DATA;
    }
    uint8_t *bytes = &data.byte;
    if (size > 1) {
        call.size = I2C_SMBUS_I2C_BLOCK_DATA;
        data.block[0] = size;
        bytes = data.block + 1;
    }
    if (received_size == 0) memcpy(bytes, sent + 1, size);
    if (ioctl(descriptor, I2C_SMBUS, &call) < 0) return -1;
    if (received_size == 0) return 0;
    if (size > 1 && data.block[0] < size) {
        errno = EIO;
        return -1;
    }
    memcpy(received, bytes, size);
    return 0;
}

int clinux_transfer_i2c(int descriptor, uint8_t address, const uint8_t *sent, size_t sent_size,
                        uint8_t *received, size_t received_size) {
    unsigned long functions;
    int result = ioctl(descriptor, I2C_FUNCS, &functions);
    if (result >= 0) {
        do result = (functions & I2C_FUNC_I2C ? transfer_messages : transfer_smbus)(
               descriptor, address, sent, sent_size, received, received_size);
        while (result < 0 && errno == EINTR);
    }
    return result < 0 ? -errno : 0;
}
