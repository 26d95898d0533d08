#include "CBluetooth.h"

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int open_socket(void) {
    return socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI);
}

/// Closes a socket and keeps the errno of what came before.
static int close_and_give(int descriptor, int result) {
    int reason = errno;
    close(descriptor);
    errno = reason;
    return result;
}

static int find_adapter(int control, uint16_t number, struct cbluetooth_adapter *adapter) {
    struct hci_dev_info info = {.dev_id = number};
    if (ioctl(control, HCIGETDEVINFO, &info) < 0) return -1;
    adapter->number = info.dev_id;
    adapter->is_up = info.flags & (1u << HCI_UP);
    adapter->is_raw = info.flags & (1u << HCI_RAW);
    memcpy(adapter->address, info.bdaddr.b, sizeof adapter->address);
    return 0;
}

int cbluetooth_find_adapter(uint16_t number, struct cbluetooth_adapter *adapter) {
    int control = open_socket();
    if (control < 0) return -1;
    return close_and_give(control, find_adapter(control, number, adapter));
}

int cbluetooth_list_adapters(struct cbluetooth_adapter *adapters, int capacity) {
    // A list's header, and room for its entries: the header ends in an array without a length.
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
        // One that has gone since is left out.
        if (count < capacity && find_adapter(control, entry.dev_id, &adapters[count]) == 0) count++;
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
    // An adapter whose channel is taken counts as up, and the kernel has only EBUSY for it here.
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
