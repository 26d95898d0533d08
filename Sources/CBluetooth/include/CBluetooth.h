/// Linux's Bluetooth adapters, in plain types.
///
/// libbluetooth's headers are GPL-2.0-or-later, and only the shim's source includes them. Nothing
/// of libbluetooth is linked. Each call that fails returns -1 and sets errno.
///
/// LinuxRadio declares these functions again in Swift, in its CBluetooth.swift.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Fills in the kernel's data on hci`number`. ENODEV if there is none.
///
/// `is_up`: the kernel uses it, perhaps for bluetoothd. `is_raw`: it has not been set up or is no
/// LE controller, so only raw access works. `is_held`: a program has its user channel. `bus`:
/// hdev->bus of the kernel, such as 1 for USB and 3 for UART. `address`: the 6 bytes of its public
/// address, least significant first; zeros without one.
int cbluetooth_find_adapter(uint16_t number, bool *is_up, bool *is_raw, bool *is_held, uint8_t *bus,
                            uint8_t *address);

/// Fills in the numbers of the first adapters, and returns how many. The kernel has at most 16.
int cbluetooth_list_adapters(uint16_t *numbers, int capacity);

/// Takes an adapter down, so that the kernel's stack does not use it. EPERM without CAP_NET_ADMIN;
/// EUSERS if another program has its user channel.
int cbluetooth_take_down(uint16_t number);

/// Gives an adapter back to the kernel's stack. Does nothing if it is up.
int cbluetooth_bring_up(uint16_t number);

/// Opens the user channel of an adapter that is down: one packet a read or write, H4's type byte
/// first. The descriptor does not block, and is closed on exec.
///
/// EBUSY if the adapter is up; EUSERS if another program has the channel; EPERM without
/// CAP_NET_ADMIN; ENODEV if there is no such adapter; ERFKILL if it is blocked.
int cbluetooth_open_user_channel(uint16_t number);
