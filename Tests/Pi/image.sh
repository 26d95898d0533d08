# The emulated Raspberry Pis of scripts/pi-test: their kernels, and the cards that they boot from. Sourced after lib.sh,
# never run.
# shellcheck shell=bash

# The Debian that the boards run: the last one whose kernel for the first Raspberry Pis boots in QEMU 7.
debian_release=bookworm
debian_mirror="${EIGHTBALL_MIRROR:-http://deb.debian.org/debian}"
# systemd with udev and the system bus, bluetoothd, which shares the adapter with the ball, and the tools of the job.
debian_packages=(
  systemd systemd-sysv udev dbus bluez init-system-helpers kmod gpiod rfkill procps busybox-static
)
# The kernel's modules on the card, each with all it needs: the card's file system; a controller at a UART, and what
# Bluetooth needs for it; what systemd needs.
card_modules=(ext4 mmc_block bcm2835 sdhci-iproc hci_uart ecb cmac ctr ccm autofs4)
# Those that the first program loads, for the card.
first_modules=(mmc_block bcm2835 sdhci-iproc ext4)

# describe_board BOARD: sets what differs between the boards: Debian's architecture, its kernel and the device tree, and
# the target and the architecture of the ball's package.
describe_board() {
  case "$1" in
  raspi0)
    debian_architecture=armel
    kernel_package=linux-image-rpi
    device_tree=bcm2835-rpi-zero-w.dtb
    ball_target=armv6
    # Debian's name for the package of all 32-bit Raspberry Pis. On Raspberry Pi OS it is the system's own.
    ball_architecture=armhf
    ;;
  raspi3b)
    debian_architecture=arm64
    kernel_package=linux-image-arm64
    device_tree=bcm2837-rpi-3-b.dtb
    ball_target=aarch64
    ball_architecture=arm64
    ;;
  *) refuse_usage "$1 is not a board. There are: ${boards[*]}." ;;
  esac
}

# first_program: the board's first program, which mounts the card and starts systemd there.
first_program() {
  cat <<'END'
#!/bin/busybox sh
export PATH=/bin
/bin/busybox --install -s /bin
mount -t devtmpfs dev /dev
while read -r module; do insmod "/modules/$module"; done </modules/order
until [ -b /dev/mmcblk0 ]; do sleep 0.1; done
mount -t ext4 -o noatime /dev/mmcblk0 /card
mount --move /dev /card/dev
exec switch_root /card /sbin/init
END
}

# build_card FOLDER BOARD: makes FOLDER/kernel, FOLDER/tree, FOLDER/first (the first file system) and FOLDER/card. Builds
# only if there is a newer kernel, or this file has changed.
build_card() (
  folder=$1
  describe_board "$2"
  recipe=$({ echo "$2 $debian_mirror" && cat Tests/Pi/{image.sh,namespace.py}; } | sha256sum)
  if [ "$(cat "$folder/recipe" 2>/dev/null)" = "$recipe" ] && [ -f "$folder/card" ]; then
    echo "The card of $2 is there."
    return
  fi
  mkdir -p "$folder"
  rm -f "$folder/recipe"
  # Programs of the board's processor run here as the root of a namespace.
  as_root /usr/bin/python3 Tests/Pi/namespace.py bash scripts/pi-test --card "$folder" "$2"
  [ "$(id -u)" = 0 ] || as_root chown -R "$(id -u):$(id -g)" "$folder"
  echo "$recipe" >"$folder/recipe"
  echo "The card of $2 is built: $(du -h "$folder/card" | cut -f 1)."
)

# fill_card FOLDER BOARD: the part of build_card that runs in the namespace.
fill_card() (
  folder=$1
  describe_board "$2"
  # Not in /tmp, which may be too small.
  work=$(mktemp -d "$folder/work-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  chmod 755 "$work"
  root="$work/root"
  # In /sbin, which is not on every user's PATH.
  PATH="$PATH:/usr/sbin:/sbin"
  register_processor "$2"

  TMPDIR="$work" mmdebstrap --mode=root --quiet --variant=essential --skip=check/qemu,check/chroot \
    --architectures="$debian_architecture" --include="$(IFS=, && echo "${debian_packages[*]}")" \
    --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
    --aptopt='Acquire::Languages "none"' --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt=force-unsafe-io \
    --customize-hook="cd '$work' && APT_CONFIG=\"\$MMDEBSTRAP_APT_CONFIG\" apt-get download -qq -o APT::Sandbox::User=root \$(APT_CONFIG=\"\$MMDEBSTRAP_APT_CONFIG\" apt-cache depends $kernel_package | sed -n 's/^ *Depends: //p' | head -n 1)" \
    --format=directory "$debian_release" "$root" "$debian_mirror"

  echo "Unpacking $(cd "$work" && echo linux-image-*.deb)"
  mkdir "$work/kernel"
  dpkg-deb -x "$work"/linux-image-*.deb "$work/kernel"
  version=$(basename "$work"/kernel/lib/modules/*)
  cp "$work/kernel/boot/vmlinuz-$version" "$folder/kernel"
  device_trees="$work/kernel/usr/lib/linux-image-$version"
  cp "$(find "$device_trees" -name "$device_tree")" "$folder/tree"
  # QEMU has no line expander, by which the Pi 3's firmware switches the Bluetooth chip on.
  if [ "$2" = raspi3b ]; then
    fdtput -d "$folder/tree" /soc/serial@7e201000/bluetooth shutdown-gpios
  fi
  copy_modules "$work/kernel" "$version" "$root"
  first_file_system "$root" "$version" >"$folder/first"
  configure_root "$root" "$2"
  rm -f "$folder/card"
  # QEMU's cards have a power of two as their size.
  truncate -s 512M "$folder/card"
  mke2fs -q -t ext4 -d "$root" "$folder/card"
)

# register_processor BOARD: lets the kernel run the board's programs in QEMU, in this namespace. Older kernels have one
# list of them for all namespaces, which the package qemu-user-static fills.
register_processor() {
  local processor=arm list=/proc/sys/fs/binfmt_misc
  [ "$1" = raspi0 ] || processor=aarch64
  [ ! -e "$list/qemu-$processor" ] || return 0
  mount -t binfmt_misc none "$list" && [ -e "$list/register" ] ||
    fail "The kernel cannot run programs of $processor here: start systemd-binfmt first."
  # F: the program is opened now, and need not be in the root.
  sed -n '1s/:[^:]*$/:OCPF/p' "/usr/lib/binfmt.d/qemu-$processor.conf" >"$list/register"
}

# configure_root ROOT BOARD: a Debian without what an emulated board lacks, with the job of scripts/pi-test.
configure_root() {
  local root=$1 units="$1/etc/systemd/system" unit
  echo "${2/raspi/pi-}" >"$root/etc/hostname"
  echo '/dev/mmcblk0 / ext4 noatime 0 1' >"$root/etc/fstab"
  : >"$root/etc/machine-id"
  # QEMU has neither the graphics nor the wireless network of the board, and its firmware has no clocks.
  printf 'blacklist %s\n' vc4 snd_bcm2835 vchiq raspberrypi_cpufreq brcmfmac >"$root/etc/modprobe.d/emulated.conf"
  # A patch for the Bluetooth chip, in the form of Broadcom's: Write RAM of four bytes, and Launch RAM.
  mkdir -p "$root/usr/lib/firmware/brcm"
  printf '\x4c\xfc\x08\0\0\x21\0\0\0\0\0\x4e\xfc\x04\xff\xff\xff\xff' >"$root/usr/lib/firmware/brcm/BCM43430A1.hcd"
  for unit in getty@tty1 serial-getty@ttyS0 serial-getty@ttyS1 systemd-timesyncd apt-daily.timer \
    apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap fstrim.timer; do
    [[ "$unit" = *.timer ]] || unit+=.service
    ln -sf /dev/null "$units/$unit"
  done
  cat >"$units/job.service" <<'END'
[Unit]
Description=The job of scripts/pi-test
After=multi-user.target
[Service]
ExecStart=/bin/bash /root/job
StandardOutput=tty
StandardError=tty
TTYPath=/dev/console
END
  mkdir -p "$units/graphical.target.wants"
  ln -s ../job.service "$units/graphical.target.wants"
  ln -sf /usr/lib/systemd/system/graphical.target "$units/default.target"
}

# copy_modules KERNEL VERSION ROOT: the modules of the card, and the lists for modprobe and udev.
copy_modules() {
  local kernel=$1 version=$2 root=$3 module path
  depmod -b "$kernel" "$version"
  mkdir -p "$root/usr/lib/modules/$version"
  cp "$kernel/lib/modules/$version"/modules.{order,builtin,builtin.modinfo} "$root/usr/lib/modules/$version"
  for module in "${card_modules[@]}"; do
    modprobe -d "$kernel" -S "$version" --show-depends "$module" 2>/dev/null || true
  done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u | while read -r path; do
    path=${path#"$kernel"}
    install -D -m 644 "$kernel$path" "$root/usr$path"
  done
  depmod -b "$root" "$version"
}

# first_file_system ROOT VERSION: prints the archive with busybox, the first program and its modules.
first_file_system() {
  local root=$1 version=$2 first module path name
  first=$(mktemp -d "$root-first-XXXXXX")
  mkdir -p "$first"/{bin,card,dev,modules}
  cp "$root/usr/bin/busybox" "$first/bin/busybox"
  first_program >"$first/init"
  chmod 755 "$first/init"
  for module in "${first_modules[@]}"; do
    modprobe -d "$root" -S "$version" --show-depends "$module" 2>/dev/null || true
  done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++' | while read -r path; do
    name=$(basename "${path%.xz}")
    case "$path" in
    *.xz) xz -dc "$path" >"$first/modules/$name" ;;
    *) cp "$path" "$first/modules/$name" ;;
    esac
    echo "$name" >>"$first/modules/order"
  done
  (cd "$first" && find . | cpio -o -H newc --quiet) | gzip -1
}

# load_card CARD COPY PACKAGE: a copy of the card with the ball's package, its settings and the job.
load_card() {
  local card=$1 copy=$2 package=$3 settings
  cp --sparse=always "$card" "$copy"
  settings="$copy.settings"
  # Bonds are for a ball that protects its links. The seed makes each run the same.
  echo 'EIGHTBALL_OPTIONS="--radio hci0 --security encrypted --seed 8"' >"$settings"
  PATH="$PATH:/usr/sbin:/sbin" debugfs -w -f - "$copy" >/dev/null 2>&1 <<END
write $package /root/$(basename "$package")
write Tests/Pi/guest.sh /root/job
write $settings /etc/default/eightball
END
}
