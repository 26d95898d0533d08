# The virtual machine of scripts/vm-test; sourced after lib.sh, never run.
# shellcheck shell=bash

# The kernel's modules that the guest loads at its start, in this order, each with all it needs.
guest_modules=(
  # For the host's files, and output to the host:
  virtio_pci
  9pnet_virtio
  9p
  overlay
  virtio_console
  # The ciphers that btvirt needs to open a controller:
  af_alg
  algif_hash
  algif_skcipher
  ecb
  cmac
  # The kernel's pairing; after the above, because Bluetooth tests its ciphers when it is loaded:
  ctr
  ccm
  sha512_generic
  drbg
  # Bluetooth, and the device by which btvirt adds controllers:
  bluetooth
  hci_vhci
  # Simulated GPIO chips; where Debian's kernel has none, build_simulator makes it:
  gpio-sim
  # Simulated chips on an I2C bus, and the device of a bus:
  i2c-dev
  i2c-stub
)

# guest_init: the guest's first program.
guest_init() {
  cat <<'END'
#!/bin/busybox sh
# The guest's first program. Its root is the host's file system, below a layer of memory that
# takes all changes. It runs /job/command there, and leaves the status in /job/status.
export PATH=/bin
/bin/busybox --install -s /bin

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
while read -r module; do
  case "$module" in
  # At the addresses of a motion sensor and a display.
  i2c-stub.ko) parameters=chip_addr=0x18,0x3c ;;
  *) parameters= ;;
  esac
  # shellcheck disable=SC2086 # one word a parameter
  insmod "/modules/$module" $parameters || echo "init: no $module" >/dev/kmsg
done </modules/order
mount -t configfs configfs /sys/kernel/config

share=trans=virtio,version=9p2000.L,msize=512000
mount -t 9p -o "$share,ro,cache=loose" host /host
mount -t tmpfs -o mode=755 ram /ram
mkdir /ram/changes /ram/work
mount -t overlay -o lowerdir=/host,upperdir=/ram/changes,workdir=/ram/work root /root
mkdir -p /root/job
mount -t 9p -o "$share,rw,cache=none" job /root/job
for folder in dev proc sys; do mount --move "/$folder" "/root/$folder"; done
mount -t tmpfs -o mode=755 run /root/run
# For a test that removes the bus, and lets it return.
cp /modules/i2c-stub.ko /root/run
mkdir /root/run/dbus /root/run/lock /root/dev/pts /root/dev/shm
mount -t devpts devpts /root/dev/pts
mount -t tmpfs shm /root/dev/shm
ip link set lo up
hostname guest

# The port for output to the host.
for port in /root/sys/class/virtio-ports/*; do
  if [ "$(cat "$port/name")" = output ]; then output="/root/dev/${port##*/}"; fi
done
touch /root/job/booted
chroot /root /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  /bin/bash /job/command >"$output" 2>&1 </root/dev/null
echo $? >/root/job/status
sync
poweroff -f
END
}

# The package of the newest kernel, which linux-image-amd64 depends on.
newest_kernel() {
  apt-cache depends linux-image-amd64 2>/dev/null |
    sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1
}

# build_image FOLDER: what the virtual machine boots: FOLDER/kernel and FOLDER/initrd. The kernel is Debian's, in the
# version that the system's package sources have now. Builds only if the kernel or this file has changed.
build_image() (
  folder=$1
  package=$(newest_kernel)
  if [ -z "$package" ]; then
    as_root apt-get update -qq
    package=$(newest_kernel)
  fi
  [ -n "$package" ] ||
    fail "The system's package sources have no linux-image-amd64; the virtual machine boots Debian's."
  version=${package#linux-image-}

  recipe=$({ echo "$package" && apt-cache show "$package" && cat Tests/VM/machine.sh; } |
    sha256sum)
  if [ "$(cat "$folder/recipe" 2>/dev/null)" = "$recipe" ] && [ -f "$folder/initrd" ]; then
    echo "The image for Linux $version is there."
    return
  fi

  mkdir -p "$folder"
  work=$(mktemp -d "$folder/work-XXXXXX")
  # shellcheck disable=SC2064 # as it is now: build_simulator has a folder of that name, too
  trap "rm -rf '$work'" EXIT
  rm -f "$folder/recipe"

  echo "Building the image for Linux $version"
  # Unpacked here, never installed.
  (cd "$work" && apt-get download -qq -o APT::Sandbox::User=root "$package")
  dpkg-deb --fsys-tarfile "$work"/linux-image-*.deb |
    tar -x -C "$work" ./boot "./lib/modules/$version"

  modules="$work/lib/modules/$version"
  if [ -z "$(find "$modules" -name 'gpio-sim.ko*')" ]; then
    build_simulator "$version" "$modules"
  fi

  # A kernel that is not compressed boots seconds faster where the processor is emulated.
  /usr/bin/python3 - "$work/boot/vmlinuz-$version" "$folder/kernel" <<'PY'
import lzma, sys

image = open(sys.argv[1], "rb").read()
start = image.find(b"\xfd7zXZ\0")
if start >= 0:
    unpacked = lzma.LZMADecompressor().decompress(image[start:])
    if unpacked.startswith(b"\x7fELF"):
        image = unpacked
open(sys.argv[2], "wb").write(image)
PY

  # The first file system: busybox, the modules in the order in which to load them, and init.
  root="$work/initrd"
  mkdir -p "$root"/{bin,dev,proc,sys,host,ram,root,modules}
  cp "$(command -v busybox)" "$root/bin/busybox"
  guest_init >"$root/init"
  chmod 755 "$root/init"
  # In /sbin, which is not on every user's PATH.
  PATH="$PATH:/usr/sbin:/sbin"
  depmod -b "$work" "$version"
  while read -r module; do
    modprobe -d "$work" -S "$version" --show-depends "$module"
  done < <(printf '%s\n' "${guest_modules[@]}") |
    sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++' >"$work/order"
  while read -r path; do
    name=$(basename "${path%.xz}")
    case "$path" in
    *.xz) xz -dc "$path" >"$root/modules/$name" ;;
    *) cp "$path" "$root/modules/$name" ;;
    esac
    echo "$name" >>"$root/modules/order"
  done <"$work/order"
  (cd "$root" && find . | cpio -o -H newc --quiet) | gzip -1 >"$folder/initrd"

  echo "$recipe" >"$folder/recipe"
  echo "The image for Linux $version is built: $(wc -l <"$work/order") modules."
)

# build_simulator VERSION FOLDER: the kernel's simulator of GPIO chips, which Debian's kernel leaves out, from Debian's own
# sources: FOLDER/gpio-sim.ko for the kernel of this version, such as 6.1.0-56-amd64.
build_simulator() {
  local version=$1 folder=$2 series work headers parts package sources
  series=$(sed 's/^\([0-9]*\.[0-9]*\).*/\1/' <<<"$version")
  work=$(mktemp -d "$folder/simulator-XXXXXX")

  # The headers, what builds modules with them, and all of the kernel's sources for three files:
  # unpacked here, never installed, since newer headers would install a kernel.
  headers="linux-headers-$version"
  mapfile -t parts < <(apt-cache depends "$headers" |
    sed -n 's/^ *Depends: \(linux-\(headers\|kbuild\)-.*\)/\1/p')
  (cd "$work" && apt-get download -qq -o APT::Sandbox::User=root \
    "$headers" "${parts[@]}" "linux-source-$series")
  for package in "$work"/linux-{headers,kbuild}-*.deb; do dpkg-deb -x "$package" "$work"; done
  # The headers have the paths of an installation.
  sed -i "s|/usr/src/|$work/usr/src/|" "$work/usr/src/$headers/Makefile"
  sources=(drivers/gpio/gpio-sim.c drivers/gpio/gpiolib.h kernel/irq/irq_sim.c)
  dpkg-deb --fsys-tarfile "$work"/linux-source-*.deb |
    tar -xO "./usr/src/linux-source-$series.tar.xz" >"$work/sources.tar.xz"
  tar -xJf "$work/sources.tar.xz" -C "$work" --strip-components=1 --occurrence=1 \
    "${sources[@]/#/linux-source-$series/}"

  # One module of both, since Debian leaves out the simulator of interrupts as well. Modules may not
  # call irq_to_desc, but they may call the two functions that it consists of.
  mkdir "$work/module"
  cp "$work/drivers/gpio/gpiolib.h" "$work/module"
  cp "$work/drivers/gpio/gpio-sim.c" "$work/module/chips.c"
  sed 's/irq_to_desc(\([a-z]*\))/irq_data_to_desc(irq_get_irq_data(\1))/' \
    "$work/kernel/irq/irq_sim.c" >"$work/module/interrupts.c"
  printf '%s\n' 'obj-m := gpio-sim.o' 'gpio-sim-y := chips.o interrupts.o' >"$work/module/Kbuild"
  # Without the notes for BPF, which need another tool.
  make -s -C "$work/usr/src/$headers" M="$work/module" CC=gcc CONFIG_DEBUG_INFO_BTF_MODULES= modules
  strip --strip-debug -o "$folder/gpio-sim.ko" "$work/module/gpio-sim.ko"
  rm -rf "$work"
}

# run_guest FOLDER SECONDS COMMAND...: runs a command as root in the virtual machine, and ends this process. FOLDER holds
# the image; after SECONDS the machine is stopped. The guest sees the host's files at the same paths, and cannot change
# them. Output and exit status are the command's; 125 if it gave none; 124 if its kernel found a processor that hung.
# Needs no root.
run_guest() {
  image=$1
  limit=$2
  shift 2

  job=$(mktemp -d -t 8ball-guest-XXXXXX)
  machine=
  end() {
    if [ -n "$machine" ]; then kill -KILL "$machine" 2>/dev/null || true; fi
    rm -rf "$job"
  }
  trap end EXIT
  {
    printf 'cd %q\n' "$PWD"
    printf '%q ' "$@"
  } >"$job/command"

  # share NAME PATH [OPTIONS]: a folder of the host, for the guest to mount by name.
  share() {
    printf '%s\n' -fsdev "local,id=$1,path=$2,security_model=none,multidevs=remap${3:-}" \
      -device "virtio-9p-pci,fsdev=$1,mount_tag=$1"
  }

  # Software emulation, without KVM: it runs the same everywhere. A second processor would take two thirds more of the
  # host's time, for its own ticks and for locks. On a busy host the kernel would not see the timer in time, and panic.
  start() {
    local shares
    mapfile -t shares < <(share host / ,readonly=on && share job "$job")
    qemu-system-x86_64 -accel tcg,thread=multi -cpu max -M q35 -smp 1 -m 1024 \
      -nodefaults -no-reboot -display none -serial "file:$job/console" \
      -kernel "$image/kernel" -initrd "$image/initrd" \
      -append "console=ttyS0 quiet panic=-1 oops=panic softlockup_panic=1 watchdog_thresh=30 no_timer_check nokaslr mitigations=off tsc=reliable random.trust_cpu=on" \
      "${shares[@]}" -device virtio-serial-pci -device virtserialport,chardev=output,name=output \
      -add-fd fd=9,set=1 -chardev file,id=output,path=/dev/fdset/1,append=on \
      </dev/null 9>&1 &
    machine=$!
  }

  # An emulated processor sometimes hangs at the start: such a boot is repeated.
  for patience in 40 80; do
    start
    started=$SECONDS
    while kill -0 "$machine" 2>/dev/null; do
      age=$((SECONDS - started))
      if [ ! -e "$job/booted" ] && [ "$age" -ge "$patience" ]; then
        echo "The guest has not booted in $patience s." >&2
        break
      elif [ "$age" -ge "$limit" ]; then
        echo "The guest's time of $limit s is up." >&2
        break
      fi
      sleep 0.1
    done
    kill -KILL "$machine" 2>/dev/null || true
    wait "$machine" 2>/dev/null || true
    machine=
    [ ! -e "$job/booted" ] || break
  done

  if [ ! -s "$job/status" ]; then
    echo "No exit status came back. The guest's console ends with:" >&2
    tail -n 20 "$job/console" >&2 || true
    if grep -q 'soft lockup' "$job/console"; then exit 124; fi
    exit 125
  fi
  exit "$(cat "$job/status")"
}
