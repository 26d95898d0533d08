/// Linux's Bluetooth adapters, in plain types.
///
/// libbluetooth's headers are GPL-2.0-or-later, and the shim's source alone includes them. Nothing
/// of libbluetooth is linked. Every call that fails gives -1 and sets errno.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// The adapters that the kernel tells of, at most.
enum { cbluetooth_most_adapters = 16 };

/// One adapter, as the kernel has it.
struct cbluetooth_adapter {
    /// N of hciN.
    uint16_t number;
    /// Whether it is up: the kernel itself, or bluetoothd by way of it, uses it.
    bool is_up;
    /// Whether it can only be driven raw: it has not been set up, or is no LE controller.
    bool is_raw;
    /// Whether a program has its user channel.
    bool is_held;
    /// What it is plugged into: hdev->bus of the kernel, such as 1 for USB and 3 for UART.
    uint8_t bus;
    /// Its public address, the least significant byte first; zeros if it has none.
    uint8_t address[6];
};

/// Fills in what the kernel knows of hci`number`. ENODEV if there is none.
int cbluetooth_find_adapter(uint16_t number, struct cbluetooth_adapter *adapter);

/// Fills in the first adapters, in the order of their numbers, and gives how many.
int cbluetooth_list_adapters(struct cbluetooth_adapter *adapters, int capacity);

/// Takes an adapter away from the kernel's own stack. EPERM without CAP_NET_ADMIN; EUSERS if
/// another program has its user channel.
int cbluetooth_take_down(uint16_t number);

/// Gives an adapter back to the kernel's own stack. Nothing happens if it has it.
int cbluetooth_bring_up(uint16_t number);

/// Opens the user channel of an adapter that is down: a packet a read or write, H4's type byte
/// first. The descriptor does not block, and is closed on exec.
///
/// EBUSY if the adapter is up; EUSERS if another program has the channel; EPERM without
/// CAP_NET_ADMIN; ENODEV if there is no such adapter; ERFKILL if it is blocked.
int cbluetooth_open_user_channel(uint16_t number);
