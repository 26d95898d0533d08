// Linux's Bluetooth adapters. libbluetooth's headers are GPL-2.0-or-later, and only this file includes them.

#if !__has_include(<bluetooth/bluetooth.h>)
#error "libbluetooth's headers are missing. On Debian and its kin: apt-get install libbluetooth-dev"
#endif
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int open_socket(void) {
    return socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI);
}

/// Closes a socket and keeps the previous errno.
static int close_and_give(int descriptor, int result) {
    int reason = errno;
    close(descriptor);
    errno = reason;
    return result;
}

/// Messages of the management interface (the kernel's mgmt-api documentation): a code, an adapter's
/// number and a length, of 16 bits each, little-endian.
enum { MANAGEMENT_HEADER = 6, READ_INDEX_LIST = 0x0003, COMMAND_COMPLETE = 0x0001 };

static unsigned number_at(const uint8_t *bytes) { return bytes[0] | (unsigned)bytes[1] << 8; }

/// Whether the response to READ_INDEX_LIST lists an adapter: 1 or 0; -1 for another message.
static int is_listed(uint16_t number, const uint8_t *message, size_t length) {
    // The status and the count follow the command's code.
    const size_t first = MANAGEMENT_HEADER + 2 + 1 + 2;
    if (length < first || number_at(message) != COMMAND_COMPLETE) return -1;
    if (number_at(message + MANAGEMENT_HEADER) != READ_INDEX_LIST) return -1;
    size_t count = number_at(message + first - 2);
    for (size_t index = 0; index < count && first + 2 * index + 2 <= length; index++) {
        if (number_at(message + first + 2 * index) == number) return 1;
    }
    return 0;
}

/// Whether a program has the user channel of an adapter that is up: the kernel then leaves it out
/// of the list of manageable adapters. The request needs no privilege and changes nothing.
static bool is_held_by_program(uint16_t number) {
    const uint8_t question[MANAGEMENT_HEADER] = {READ_INDEX_LIST, 0, 0xFF, 0xFF, 0, 0};
    struct sockaddr_hci address = {
        .hci_family = AF_BLUETOOTH, .hci_dev = HCI_DEV_NONE, .hci_channel = HCI_CHANNEL_CONTROL};
    uint8_t message[512];
    int result = -1;

    int control = open_socket();
    if (control < 0) return false;
    if (bind(control, (struct sockaddr *)&address, sizeof address) == 0 &&
        write(control, question, sizeof question) == (ssize_t)sizeof question) {
        // The response is there when the write returns, perhaps after events of adapters.
        ssize_t length;
        while (result < 0 && (length = read(control, message, sizeof message)) > 0) {
            result = is_listed(number, message, (size_t)length);
        }
    }
    close(control);
    return result == 0;
}

int cbluetooth_find_adapter(uint16_t number, bool *is_up, bool *is_raw, bool *is_held, uint8_t *bus,
                            uint8_t *address) {
    struct hci_dev_info info = {.dev_id = number};
    int control = open_socket();
    if (control < 0) return -1;
    if (ioctl(control, HCIGETDEVINFO, &info) < 0) return close_and_give(control, -1);
    *is_up = info.flags & (1u << HCI_UP);
    *is_raw = info.flags & (1u << HCI_RAW);
    *is_held = *is_up && !*is_raw && is_held_by_program(number);
    *bus = info.type & 0x0F;
    memcpy(address, info.bdaddr.b, sizeof info.bdaddr.b);
    return close_and_give(control, 0);
}

int cbluetooth_list_adapters(uint16_t *numbers, int capacity) {
    // A list's header and room for its entries: the header ends in an array without a length.
    union {
        struct hci_dev_list_req list;
        uint8_t storage[sizeof(struct hci_dev_list_req) + HCI_MAX_DEV * sizeof(struct hci_dev_req)];
    } request;
    memset(&request, 0, sizeof request);
    request.list.dev_num = HCI_MAX_DEV;

    int control = open_socket();
    if (control < 0) return -1;
    if (ioctl(control, HCIGETDEVLIST, &request) < 0) return close_and_give(control, -1);

    int count = 0;
    for (int index = 0; index < request.list.dev_num && index < HCI_MAX_DEV; index++) {
        struct hci_dev_req entry;
        size_t offset = offsetof(struct hci_dev_list_req, dev_req) + index * sizeof entry;
        memcpy(&entry, request.storage + offset, sizeof entry);
        if (count < capacity) numbers[count++] = entry.dev_id;
    }
    return close_and_give(control, count);
}

static int control_adapter(unsigned long request, uint16_t number, int harmless) {
    int control = open_socket();
    if (control < 0) return -1;
    int result = ioctl(control, request, (int)number);
    if (result < 0 && errno == harmless) result = 0;
    return close_and_give(control, result);
}

int cbluetooth_take_down(uint16_t number) {
    int result = control_adapter(HCIDEVDOWN, number, 0);
    // An adapter whose channel is taken counts as up, so the kernel returns EBUSY here.
    if (result < 0 && errno == EBUSY) errno = EUSERS;
    return result;
}

int cbluetooth_bring_up(uint16_t number) {
    return control_adapter(HCIDEVUP, number, EALREADY);
}

int cbluetooth_open_user_channel(uint16_t number) {
    int channel = open_socket();
    if (channel < 0) return -1;
    struct sockaddr_hci address = {
        .hci_family = AF_BLUETOOTH, .hci_dev = number, .hci_channel = HCI_CHANNEL_USER};
    if (bind(channel, (struct sockaddr *)&address, sizeof address) < 0) {
        return close_and_give(channel, -1);
    }
    return channel;
}
